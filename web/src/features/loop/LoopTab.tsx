/** The loop on one page: labelled so far, quality so far, what to label next, retrain, let the model label the rest. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { refOf } from "@/features/datasets/dataset-actions";
import type { DatasetView } from "@/features/datasets/types";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { AdvicePanel } from "./AdvicePanel";
import { CurvePanel } from "./CurvePanel";
import { NextPanel } from "./NextPanel";
import { loopQuery } from "./queries";
import { RoundsPanel } from "./RoundsPanel";
import { SoFar } from "./SoFar";
import styles from "./Loop.module.css";

export function LoopTab({ dataset }: { dataset: DatasetView }) {
  const { t } = useTranslation("loop");
  const of = refOf(dataset);
  const loop = useQuery(loopQuery(of));
  if (loop.isPending) return <Loading />;
  if (loop.isError) return <ErrorState error={loop.error} onRetry={() => void loop.refetch()} />;
  if (dataset.annotation_type === "none") return <EmptyState title={t("notAnnotated")} text={t("notAnnotatedText")} />;
  if (loop.data.items === 0) return <EmptyState title={t("empty")} text={t("emptyText")} />;
  // What is under way is looked at first; what is over comes last.
  const isRunning = loop.data.round?.state === "running";
  const rounds = <RoundsPanel of={of} round={loop.data.round} />;
  return (
    <div className={styles.loop}>
      <AdvicePanel of={of} loop={loop.data} />
      {isRunning && rounds}
      <SoFar loop={loop.data} project={of.project} />
      <div className={styles.columns}>
        <CurvePanel of={of} loop={loop.data} />
        <NextPanel of={of} loop={loop.data} />
      </div>
      {!isRunning && rounds}
    </div>
  );
}
