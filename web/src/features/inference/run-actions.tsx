import { CaretRightOutlined, CopyOutlined, DeleteOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { canStop, isEnded } from "@/features/workloads/states";
import { useStopAction } from "@/features/workloads/StopButton";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteInferenceRun, resumeInferenceRun, startInference, stopInferenceRun } from "./api";
import { entryPath, runPath, takeInferenceRun, useRefreshInference } from "./queries";
import type { InferenceRun } from "./types";

/** What can be done with a run, in lists and on its page: only what its state allows is offered. */
export function useInferenceRunActions(project: string): { actionsOf: (run: InferenceRun) => RowAction[] } {
  const { t } = useTranslation(["inference", "common"]);
  const canWrite = useProjectPermission(project, "inference.write");
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshInference();
  const stopAction = useStopAction({ project, permission: "inference.write", text: t("run.stopText") });
  const refusal = canWrite ? undefined : t("notAllowed");
  const refOf = (run: InferenceRun) => ({ project, inference: run.inference_id, run: run.id });

  const resume = (run: InferenceRun) =>
    confirm({
      title: t("run.resumeTitle", { name: run.name }),
      text: t("run.resumeText"),
      okText: t("run.resume"),
      isDanger: false,
      onConfirm: async () => {
        takeInferenceRun(client, await resumeInferenceRun(refOf(run)));
        notify.done(t("run.resumed", { name: run.name }));
      },
    });
  const again = async (run: InferenceRun) => {
    try {
      const { dataset, threshold, spec, priority } = run.settings;
      const body = run.form === "model" ? { dataset, threshold, spec, priority } : { spec, priority };
      const made = await startInference({ project, inference: run.inference_id }, body);
      notify.done(t("started", { name: made.name }));
      void refresh();
      void navigate(runPath(project, made.inference, made.number));
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (run: InferenceRun) =>
    confirm({
      title: t("run.deleteTitle", { name: run.name }),
      text: t("run.deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteInferenceRun(refOf(run));
        notify.done(t("run.deleted", { name: run.name }));
        void navigate(entryPath(project, run.inference));
        await refresh();
      },
    });
  const actionsOf = (run: InferenceRun): RowAction[] => {
    const ended = isEnded(run.state);
    const offered: (RowAction | false)[] = [
      canStop(run.state) && stopAction({ id: run.workload_id ?? run.id, name: run.name, state: run.state, stop: async () => takeInferenceRun(client, await stopInferenceRun(refOf(run))) }),
      run.can_resume && { key: "resume", label: t("run.resume"), icon: <CaretRightOutlined aria-hidden />, disabledReason: refusal, onClick: () => resume(run) },
      { key: "again", label: t("run.again"), icon: <CopyOutlined aria-hidden />, disabledReason: refusal, onClick: () => void again(run) },
      {
        key: "delete",
        label: t("common:action.delete"),
        icon: <DeleteOutlined aria-hidden />,
        isDanger: true,
        disabledReason: refusal ?? (ended ? undefined : t("run.deleteRunning")),
        onClick: () => remove(run),
      },
    ];
    return offered.filter((action) => action !== false);
  };
  return { actionsOf };
}
