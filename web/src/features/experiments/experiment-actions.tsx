import { DeleteOutlined, EditOutlined, UndoOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteExperiment, restoreExperiment } from "./api";
import { ExperimentForm } from "./ExperimentForm";
import { experimentsPath, useRefreshExperiments } from "./queries";
import type { ExperimentView } from "./types";

/** What can be done with an experiment, in the list and on its page. */
export function useExperimentActions(project: string): { actionsOf: (experiment: ExperimentView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["experiments", "common"]);
  const canWrite = useProjectPermission(project, "training.write");
  const confirm = useConfirm();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefreshExperiments();
  const [edited, setEdited] = useState<ExperimentView | null>(null);
  const refusal = canWrite ? undefined : t("notAllowed");

  const remove = (one: ExperimentView) =>
    confirm({
      title: t("deleteTitle", { name: one.name }),
      text: t("deleteText", { count: one.runs_count }),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteExperiment({ project, experiment: one.id });
        notify.done(t("deleted", { name: one.name }));
        void navigate(experimentsPath(project));
        await refresh();
      },
    });
  const restore = async (one: ExperimentView) => {
    try {
      await restoreExperiment({ project, experiment: one.id });
      notify.done(t("restored", { name: one.name }));
      await refresh();
    } catch (error) {
      notify.failed(error);
    }
  };
  const actionsOf = (one: ExperimentView): RowAction[] =>
    one.deleted_at !== null
      ? [{ key: "restore", label: t("restore"), icon: <UndoOutlined aria-hidden />, disabledReason: refusal, onClick: () => void restore(one) }]
      : [
          { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, disabledReason: refusal, onClick: () => setEdited(one) },
          { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: refusal, onClick: () => remove(one) },
        ];
  return { actionsOf, dialog: edited && <ExperimentForm project={project} experiment={edited} onClose={() => setEdited(null)} /> };
}
