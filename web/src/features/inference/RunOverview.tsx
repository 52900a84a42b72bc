import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Duration } from "@/features/workloads/Duration";
import { NodesPanel } from "@/features/workloads/NodesPanel";
import { useReasonText } from "@/features/workloads/reason-text";
import { WorkloadTail } from "@/features/workloads/WorkloadTail";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import type { InferenceRunRef } from "./api";
import { SettingsFacts } from "./SettingsFacts";
import type { InferenceRun } from "./types";
import { WriteBacks } from "./write-back/WriteBacks";
import styles from "./Inference.module.css";

export function RunOverview({ at, run }: { at: InferenceRunRef; run: InferenceRun }) {
  const { t } = useTranslation(["inference", "workloads"]);
  const format = useFormat();
  const reasonText = useReasonText();
  const none = <span className="tm-muted">–</span>;
  return (
    <>
      {run.state === "failed" && run.workload_id !== null && <WorkloadTail workload={{ project: at.project, id: run.workload_id }} />}
      <WriteBacks at={at} run={run} />
      <Panel title={t("run.course")}>
        <Facts
          facts={[
            { key: "started", label: t("workloads:field.started"), value: <RelativeTime at={run.started_at} /> },
            { key: "ended", label: t("workloads:field.ended"), value: <RelativeTime at={run.ended_at} /> },
            { key: "duration", label: t("workloads:field.duration"), value: <Duration of={run} /> },
            { key: "reason", label: t("run.reason"), value: run.stop_reason ? reasonText(run.stop_reason, run.exit_code) : none },
            { key: "exit", label: t("workloads:field.exitCode"), value: run.exit_code ?? none },
            { key: "attempt", label: t("workloads:field.attempt"), value: format.number(run.attempt) },
            ...(run.form === "model" ? [{ key: "size", label: t("run.size"), value: format.bytes(run.size_bytes) }] : []),
          ]}
        />
      </Panel>
      {run.classes.length > 0 && <Classes run={run} />}
      <NodesPanel nodes={run.workload?.nodes ?? []} />
      <SettingsFacts project={at.project} settings={{ ...run.settings, spec: run.settings.spec ?? run.workload?.spec ?? null }} />
    </>
  );
}

/** How often which label was said; each leads to its results. */
function Classes({ run }: { run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const navigate = useNavigate();
  const most = Math.max(...run.classes.map((one) => one.items), 1);
  return (
    <Panel title={t("run.classes")}>
      <ul className={styles.bars}>
        {run.classes.map((one) => (
          <li key={one.label}>
            <button type="button" onClick={() => void navigate(`?${new URLSearchParams({ tab: "results", label: one.label })}`)}>
              {one.label}
            </button>
            <span className={styles.bar} aria-hidden="true">
              <i style={{ width: `${(one.items / most) * 100}%` }} />
            </span>
            <span className="tm-muted">{t("run.classCount", { count: one.items, items: format.number(one.items), annotations: format.number(one.annotations) })}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
