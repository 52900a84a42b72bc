import { AreaChartOutlined, CaretRightOutlined, DeleteOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { experimentPath } from "@/features/experiments/queries";
import { useProjectPermission } from "@/features/projects/current-project";
import { canStop, isEnded } from "@/features/workloads/states";
import { useStopAction } from "@/features/workloads/StopButton";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteRun, resumeRun, stopRun } from "./api";
import { runPath, takeRun, taskPath, useRefreshTraining } from "./queries";
import { useTensorboard } from "./tensorboard";
import type { RunView } from "./types";

/** What can be done with a run, in lists and on its page: only what its state allows is offered. */
export function useRunActions(project: string): { actionsOf: (run: RunView) => RowAction[] } {
  const { t } = useTranslation(["training", "common"]);
  const canWrite = useProjectPermission(project, "training.write");
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshTraining();
  const openTensorboard = useTensorboard(project);
  const stopAction = useStopAction({ project, permission: "training.write", text: t("run.stopText") });
  const refusal = canWrite ? undefined : t("notAllowed");

  const resume = (run: RunView) =>
    confirm({
      title: t("run.resumeTitle", { name: run.name }),
      text: t("run.resumeText"),
      okText: t("run.resume"),
      isDanger: false,
      onConfirm: async () => {
        const resumed = await resumeRun({ project, run: run.id });
        takeRun(client, resumed);
        notify.done(t("run.resumed", { name: run.name }));
        void navigate(runPath(project, resumed));
      },
    });
  const remove = (run: RunView) =>
    confirm({
      title: t("run.deleteTitle", { name: run.name }),
      text: t("run.deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteRun({ project, run: run.id });
        notify.done(t("run.deleted", { name: run.name }));
        void navigate(run.task === null ? experimentPath(project, run.experiment_id) : taskPath(project, run.task));
        await refresh();
      },
    });
  const actionsOf = (run: RunView): RowAction[] => {
    const ended = isEnded(run.state) || run.workload_id === null;
    const deletion: RowAction = {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      disabledReason: refusal ?? (ended ? undefined : t("run.deleteRunning")),
      onClick: () => remove(run),
    };
    if (run.workload_id === null) return [deletion];
    const stop = stopAction({ id: run.workload_id, name: run.name, state: run.state, stop: async () => takeRun(client, await stopRun({ project, run: run.id })) });
    const offered: (RowAction | false)[] = [
      canStop(run.state) && stop,
      ended && { key: "resume", label: t("run.resume"), icon: <CaretRightOutlined aria-hidden />, disabledReason: refusal, onClick: () => resume(run) },
      { key: "tensorboard", label: t("tensorboard.open"), icon: <AreaChartOutlined aria-hidden />, disabledReason: refusal, onClick: () => void openTensorboard(run) },
      deletion,
    ];
    return offered.filter((action) => action !== false);
  };
  return { actionsOf };
}
