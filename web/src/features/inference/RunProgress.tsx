/** How far a run is: a bar, items a second, how long it will still take, what was found so far. */
import { Alert, Progress } from "antd";
import { useTranslation } from "react-i18next";
import { isEnded } from "@/features/workloads/states";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import type { InferenceRun } from "./types";
import styles from "./Inference.module.css";

const STAGES = ["loading", "predicting", "sending"] as const;

export function RunProgress({ run }: { run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const isGoing = !isEnded(run.state);
  const stage = STAGES.find((one) => one === run.stage);
  const figures: { key: string; label: string; value: string }[] = [
    { key: "done", label: t("run.items"), value: run.total === null ? format.number(run.done) : t("progress.figures", { done: format.number(run.done), total: format.number(run.total) }) },
    { key: "rate", label: t("progress.rate"), value: run.rate === null ? "–" : t("progress.perSecond", { rate: format.decimal(run.rate, 1) }) },
    ...(isGoing ? [{ key: "remaining", label: t("progress.remaining"), value: run.remaining_s === null ? "–" : format.duration(Math.max(1, Math.round(run.remaining_s))) }] : []),
    { key: "annotations", label: t("run.annotations"), value: format.number(run.annotations) },
    { key: "empty", label: t("run.nothing"), value: format.number(run.empty) },
    { key: "errors", label: t("run.errors"), value: format.number(run.errors) },
  ];
  return (
    <Panel>
      {run.error && <Alert type="error" showIcon title={run.error.message} description={run.error.hint} style={{ marginBottom: 12 }} />}
      {!isGoing && isAllBelow(run) && <Alert type="info" showIcon title={t("run.allBelow", { threshold: format.percent(run.settings.threshold ?? 0) })} description={t("run.allBelowText")} style={{ marginBottom: 12 }} />}
      {run.progress !== null && <Progress percent={Math.floor(run.progress)} status={isGoing ? "active" : run.state === "completed" ? "success" : run.state === "failed" ? "exception" : "normal"} aria-label={t("progress.of", { name: run.name })} />}
      {isGoing && stage && <span className="tm-muted">{t(`stage.${stage}`)}</span>}
      <dl className={styles.figures}>
        {figures.map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** Whether things were looked at and none was sure enough. */
function isAllBelow({ form, annotations, empty, settings }: InferenceRun): boolean {
  return form === "model" && annotations === 0 && empty > 0 && (settings.threshold ?? 0) > 0;
}
