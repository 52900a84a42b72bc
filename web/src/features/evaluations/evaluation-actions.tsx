/** What can be done with an evaluation, in lists and on its page. */
import { DeleteOutlined, DiffOutlined, DownloadOutlined, PoweroffOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { downloadUrl } from "@/lib/download";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteEvaluation, predictionsAddress, stopEvaluation } from "./api";
import { comparePath, isGoing, useRefreshEvaluations } from "./queries";
import type { EvaluationView } from "./types";

export function useEvaluationActions(project: string, onDeleted?: () => void): (evaluation: EvaluationView) => RowAction[] {
  const { t } = useTranslation(["evaluations", "common"]);
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshEvaluations();
  const canWrite = useProjectPermission(project, "training.write");
  const refusal = canWrite ? undefined : t("notAllowed");

  const stop = (evaluation: EvaluationView) =>
    confirm({
      title: t("stop.title", { name: nameOf(evaluation) }),
      okText: t("stop.action"),
      onConfirm: async () => {
        await stopEvaluation({ project, id: evaluation.id });
        notify.done(t("stop.done"));
        await refresh();
      },
    });
  const remove = (evaluation: EvaluationView) =>
    confirm({
      title: t("delete.title", { name: nameOf(evaluation) }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteEvaluation({ project, id: evaluation.id });
        notify.done(t("delete.done"));
        onDeleted?.();
        await refresh();
      },
    });
  return (evaluation) => {
    const going = isGoing(evaluation);
    const offered: (RowAction | false)[] = [
      going && { key: "stop", label: t("stop.action"), icon: <PoweroffOutlined aria-hidden />, isDanger: true, disabledReason: refusal, onClick: () => void stop(evaluation) },
      evaluation.state === "done" && { key: "compare", label: t("compare.with"), icon: <DiffOutlined aria-hidden />, onClick: () => void navigate(comparePath(project, [evaluation.id])) },
      evaluation.has_predictions && { key: "predictions", label: t("predictions"), icon: <DownloadOutlined aria-hidden />, onClick: () => downloadUrl(predictionsAddress({ project, id: evaluation.id }), "predictions.jsonl") },
      { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: refusal ?? (going ? t("delete.going") : undefined), onClick: () => void remove(evaluation) },
    ];
    return offered.filter((action) => action !== false);
  };
}

/** As it is spoken of: which model on which data. */
export function nameOf({ model, dataset }: Pick<EvaluationView, "model" | "dataset">): string {
  return `${model} × ${dataset}`;
}
