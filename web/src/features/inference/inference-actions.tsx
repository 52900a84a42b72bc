import { ControlOutlined, CopyOutlined, DeleteOutlined, EditOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { copyInference, deleteInference, startInference } from "./api";
import { entriesPath, entryPath, runPath, useRefreshInference } from "./queries";
import { StartForm } from "./StartForm";
import type { InferenceView, StartBody } from "./types";

/** What can be done with an entry, in its list and on its page. */
export function useInferenceActions(project: string): { actionsOf: (entry: InferenceView) => RowAction[]; start: (entry: InferenceView) => Promise<void>; dialog: ReactNode } {
  const { t } = useTranslation(["inference", "common"]);
  const canWrite = useProjectPermission(project, "inference.write");
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshInference();
  const [copied, setCopied] = useState<InferenceView | null>(null);
  const [changed, setChanged] = useState<InferenceView | null>(null);

  const startWith = async (entry: InferenceView, body: StartBody) => {
    const run = await startInference({ project, inference: entry.id }, body);
    notify.done(t("started", { name: run.name }));
    void refresh();
    void navigate(runPath(project, entry.name, run.number));
  };
  const start = async (entry: InferenceView) => {
    try {
      await startWith(entry, {});
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (entry: InferenceView) =>
    confirm({
      title: t("delete.title", { name: entry.name }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteInference({ project, inference: entry.id });
        notify.done(t("delete.done", { name: entry.name }));
        void navigate(entriesPath(project));
        await refresh();
      },
    });
  const refusal = canWrite ? undefined : t("notAllowed");
  const actionsOf = (entry: InferenceView): RowAction[] => [
    { key: "start", label: t("start"), icon: <PlayCircleOutlined aria-hidden />, disabledReason: refusal, onClick: () => void start(entry) },
    { key: "startWith", label: t("startWith.action"), icon: <ControlOutlined aria-hidden />, disabledReason: refusal, onClick: () => setChanged(entry) },
    { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, disabledReason: refusal, onClick: () => void navigate(`${entryPath(project, entry.name)}/edit`) },
    { key: "copy", label: t("copy.action"), icon: <CopyOutlined aria-hidden />, disabledReason: refusal, onClick: () => setCopied(entry) },
    {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      disabledReason: refusal ?? (entry.runs_count > 0 ? t("delete.hasRuns", { count: entry.runs_count }) : undefined),
      onClick: () => remove(entry),
    },
  ];
  const startForm = changed && <StartForm project={project} entry={changed} onStart={(body) => startWith(changed, body)} onClose={() => setChanged(null)} />;
  const copyForm = copied && (
    <FormModal<{ name: string }>
      title={t("copy.title", { name: copied.name })}
      submitText={t("copy.action")}
      initialValues={{ name: `${copied.name}-copy` }}
      onSubmit={async ({ name }) => {
        const copy = await copyInference({ project, inference: copied.id }, name);
        await refresh();
        notify.done(t("created", { name: copy.name }));
        void navigate(entryPath(project, copy.name));
      }}
      onClose={() => setCopied(null)}
    >
      <NameField />
    </FormModal>
  );
  return { actionsOf, start, dialog: startForm ?? copyForm };
}
