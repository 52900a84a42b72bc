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
import { copyTask, deleteTask, startTask } from "./api";
import { runPath, taskPath, tasksPath, useRefreshTraining } from "./queries";
import type { StartBody } from "./start-values";
import { StartForm } from "./StartForm";
import type { TaskView } from "./types";

/** What can be done with a task, in its list and on its page. */
export function useTaskActions(project: string): { actionsOf: (task: TaskView) => RowAction[]; start: (task: TaskView) => Promise<void>; dialog: ReactNode } {
  const { t } = useTranslation(["training", "common"]);
  const canWrite = useProjectPermission(project, "training.write");
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshTraining();
  const [copied, setCopied] = useState<TaskView | null>(null);
  const [changed, setChanged] = useState<TaskView | null>(null);

  const startWith = async (task: TaskView, body: StartBody) => {
    const run = await startTask({ project, task: task.id }, body);
    notify.done(t("started", { name: run.name }));
    void refresh();
    void navigate(runPath(project, run));
  };
  const start = async (task: TaskView) => {
    try {
      await startWith(task, {});
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (task: TaskView) =>
    confirm({
      title: t("delete.title", { name: task.name }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteTask({ project, task: task.id });
        notify.done(t("delete.done", { name: task.name }));
        void navigate(tasksPath(project));
        await refresh();
      },
    });
  const refusal = canWrite ? undefined : t("notAllowed");
  const actionsOf = (task: TaskView): RowAction[] => [
    { key: "start", label: t("start"), icon: <PlayCircleOutlined aria-hidden />, disabledReason: refusal, onClick: () => void start(task) },
    { key: "startWith", label: t("startWith.action"), icon: <ControlOutlined aria-hidden />, disabledReason: refusal, onClick: () => setChanged(task) },
    {
      key: "edit",
      label: t("common:action.edit"),
      icon: <EditOutlined aria-hidden />,
      disabledReason: refusal,
      onClick: () => void navigate(`${taskPath(project, task.name)}/edit`),
    },
    { key: "copy", label: t("copy.action"), icon: <CopyOutlined aria-hidden />, disabledReason: refusal, onClick: () => setCopied(task) },
    {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      disabledReason: refusal ?? (task.runs_count > 0 ? t("delete.hasRuns", { count: task.runs_count }) : undefined),
      onClick: () => remove(task),
    },
  ];
  const startForm = changed && <StartForm task={changed} onStart={(body) => startWith(changed, body)} onClose={() => setChanged(null)} />;
  const copyForm = copied && (
    <FormModal<{ name: string }>
      title={t("copy.title", { name: copied.name })}
      submitText={t("copy.action")}
      initialValues={{ name: `${copied.name}-copy` }}
      onSubmit={async ({ name }) => {
        const copy = await copyTask({ project, task: copied.id }, name);
        await refresh();
        notify.done(t("created", { name: copy.name }));
        void navigate(taskPath(project, copy.name));
      }}
      onClose={() => setCopied(null)}
    >
      <NameField />
    </FormModal>
  );
  return { actionsOf, start, dialog: startForm ?? copyForm };
}
