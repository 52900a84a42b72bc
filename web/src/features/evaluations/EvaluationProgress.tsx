import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import { WorkState } from "@/features/datasets/works/WorkProgress";
import { isGoing } from "./queries";
import type { EvaluationView } from "./types";
import styles from "./Evaluations.module.css";

/** Where it is and, while it goes on, how far; why it failed. */
export function EvaluationProgress({ evaluation }: { evaluation: EvaluationView }) {
  const stageText = useStageText();
  const { state, progress, stage, error } = evaluation;
  return (
    <div className={styles.progress}>
      <WorkState state={state} />
      {isGoing(evaluation) && progress !== null && <Progress size="small" percent={Math.floor(progress)} status="active" aria-label={stageText(stage)} />}
      {isGoing(evaluation) && stage && <small className="tm-muted"> {stageText(stage)}</small>}
      {error && (
        <div>
          <small style={{ color: "var(--tm-error)", overflowWrap: "anywhere" }}>
            {error.message} {error.hint}
          </small>
        </div>
      )}
    </div>
  );
}

export function useStageText(): (stage: string) => string {
  const { t, i18n } = useTranslation("evaluations");
  return (stage) => (i18n.exists(`evaluations:stage.${stage}`) ? t(`stage.${stage as "loading"}`) : stage);
}
