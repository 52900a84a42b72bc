import { useTranslation } from "react-i18next";
import { RunTrainingPanel } from "@/features/models/train/RunTrainingPanel";
import { RunWords } from "@/features/experiments/OutsideOverview";
import { Duration } from "@/features/workloads/Duration";
import { useReasonText } from "@/features/workloads/reason-text";
import { isEnded } from "@/features/workloads/states";
import { NodesPanel } from "@/features/workloads/NodesPanel";
import { WorkloadTail } from "@/features/workloads/WorkloadTail";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { byInterest } from "./metric-order";
import { AssetLink, SettingsFacts } from "./SettingsFacts";
import type { RunView } from "./types";

export function RunOverview({ project, run }: { project: string; run: RunView }) {
  const { t } = useTranslation(["training", "workloads"]);
  const format = useFormat();
  const reasonText = useReasonText();
  const none = <span className="tm-muted">–</span>;
  const metrics = byInterest(Object.keys(run.metrics)).map((key) => [key, run.metrics[key] ?? null] as const);
  return (
    <>
      {run.state === "failed" && run.workload_id !== null && <WorkloadTail workload={{ project, id: run.workload_id }} />}
      <RunTrainingPanel project={project} run={run} isEnded={isEnded(run.state)} />
      <Panel title={t("run.course")}>
        <Facts
          facts={[
            { key: "started", label: t("workloads:field.started"), value: <RelativeTime at={run.started_at} /> },
            { key: "ended", label: t("workloads:field.ended"), value: <RelativeTime at={run.ended_at} /> },
            { key: "duration", label: t("workloads:field.duration"), value: <Duration of={run} /> },
            { key: "reason", label: t("run.reason"), value: run.stop_reason ? reasonText(run.stop_reason, run.exit_code) : none },
            { key: "exit", label: t("workloads:field.exitCode"), value: run.exit_code ?? none },
            { key: "attempt", label: t("workloads:field.attempt"), value: run.retries > 0 ? t("run.attempts", { number: format.number(run.attempt), retries: format.number(run.retries) }) : format.number(run.attempt) },
            { key: "from", label: t("run.resumedFrom"), value: run.resumed_from ? <code>{run.resumed_from}</code> : none },
            { key: "model", label: t("run.model"), value: run.model ? <AssetLink project={project} kind="models" refText={run.model} /> : <span className="tm-muted">{modelNote()}</span> },
          ]}
        />
      </Panel>
      {metrics.length > 0 && (
        <Panel title={t("run.lastValues")}>
          <Facts facts={metrics.map(([key, value]) => ({ key, label: key, value: value === null ? "–" : format.compact(value) }))} />
        </Panel>
      )}
      <NodesPanel nodes={run.workload?.nodes ?? []} />
      {run.settings && <SettingsFacts project={project} settings={{ ...run.settings, spec: run.settings.spec ?? run.workload?.spec ?? null }} />}
      <RunWords run={run} />
    </>
  );

  function modelNote(): string {
    return isEnded(run.state) ? t("run.noModel") : t("run.modelLater");
  }
}
