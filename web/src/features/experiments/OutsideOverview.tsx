/** A run that goes on somewhere else: what it says of itself. */
import { Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Duration } from "@/features/workloads/Duration";
import type { RunView } from "@/features/training/types";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";

/** Words that MLflow's client writes by itself, and what they are to people. */
const SOURCE = "mlflow.source.name";
const COMMIT = "mlflow.source.git.commit";
const NOTE = "mlflow.note.content";

export function OutsideOverview({ run }: { run: RunView }) {
  const { t } = useTranslation(["experiments", "workloads"]);
  const none = <span className="tm-muted">–</span>;
  return (
    <>
      {run.tags[NOTE] && <p>{run.tags[NOTE]}</p>}
      <Panel title={t("outside.course")}>
        <Facts
          facts={[
            { key: "started", label: t("workloads:field.started"), value: <RelativeTime at={run.started_at} /> },
            { key: "ended", label: t("workloads:field.ended"), value: <RelativeTime at={run.ended_at} /> },
            { key: "duration", label: t("workloads:field.duration"), value: <Duration of={run} /> },
            { key: "source", label: t("outside.source"), value: run.tags[SOURCE] ? <code>{run.tags[SOURCE]}</code> : none },
            { key: "commit", label: t("outside.commit"), value: run.tags[COMMIT] ? <code>{run.tags[COMMIT]}</code> : none },
          ]}
        />
      </Panel>
      <RunWords run={run} />
    </>
  );
}

/** Parameters, last values, data and tags: of every run that has any. */
export function RunWords({ run }: { run: RunView }) {
  const { t } = useTranslation("experiments");
  const format = useFormat();
  const metrics = Object.entries(run.metrics);
  const parameters = Object.entries(run.parameters);
  const tags = Object.entries(run.tags).filter(([key]) => !key.startsWith("mlflow."));
  return (
    <>
      {run.task === null && parameters.length > 0 && (
        <Panel title={t("outside.parameters")}>
          <Facts facts={parameters.map(([key, value]) => ({ key, label: key, value: <code>{value}</code> }))} />
        </Panel>
      )}
      {run.task === null && metrics.length > 0 && (
        <Panel title={t("outside.lastValues")}>
          <Facts facts={metrics.map(([key, value]) => ({ key, label: key, value: value === null ? "–" : format.compact(value) }))} />
        </Panel>
      )}
      {run.datasets.length > 0 && (
        <Panel title={t("outside.data")}>
          <Facts facts={run.datasets.map((used) => ({ key: `${used.name} ${used.digest}`, label: used.context ? `${used.name} (${used.context})` : used.name, value: <code>{used.digest}</code> }))} />
        </Panel>
      )}
      {tags.length > 0 && (
        <Panel title={t("outside.tags")}>
          {tags.map(([key, value]) => (
            <Tag key={key}>
              {key}: {value}
            </Tag>
          ))}
        </Panel>
      )}
    </>
  );
}
