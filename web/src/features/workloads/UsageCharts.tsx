/** What a workload uses over time, beside what it may use. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select, Skeleton } from "antd";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import chartStyles from "@/ui/chart/Chart.module.css";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { readUsage } from "./api";
import { AttemptSelect } from "./AttemptSelect";
import { NodeSelect } from "./NodeSelect";
import { workloadsKey } from "./queries";
import { isEnded } from "./states";
import type { NodeView, UsageView, WorkloadRef, WorkloadState } from "./types";
import { deviceSeries, isMeasured, usageSeries } from "./usage-series";
import styles from "./Workloads.module.css";

const POINTS = 600;
const LIVE_MS = 2_000;
const RANGES = [900, 3_600, 21_600, 86_400];
const DEFAULT_RANGE = 3_600;

interface UsageChartsProps {
  workload: WorkloadRef;
  state: WorkloadState;
  nodes: NodeView[];
  /** How many attempts there were. */
  attempts?: number;
}

export function UsageCharts({ workload, state, nodes, attempts = 1 }: UsageChartsProps) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const isLive = !isEnded(state);
  const [node, setNode] = useState(0);
  const [attempt, setAttempt] = useState<number | null>(null);
  // What has ended is looked at as a whole; what runs, by its last hour.
  const [range, setRange] = useState<number>(isLive ? DEFAULT_RANGE : 0);
  const usage = useQuery({
    queryKey: [...workloadsKey, "one", workload.id, "usage", node, attempt, range],
    queryFn: () => readUsage(workload, { node, attempt: attempt ?? undefined, points: POINTS, since: range && attempt === null ? new Date(Date.now() - range * 1000).toISOString() : undefined }),
    refetchInterval: isLive && attempt === null ? LIVE_MS : false,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className={styles.tools}>
        <AttemptSelect count={attempts} value={attempt} onChange={setAttempt} />
        <NodeSelect nodes={nodes} value={node} onChange={setNode} />
        <Select<number>
          aria-label={t("usage.range")}
          value={attempt === null ? range : 0}
          disabled={attempt !== null}
          popupMatchSelectWidth={false}
          options={[...RANGES.map((seconds) => ({ value: seconds, label: t("usage.last", { duration: format.duration(seconds) }) })), { value: 0, label: t("usage.all") }]}
          onChange={setRange}
        />
      </div>
      {usage.isPending && <Skeleton active />}
      {usage.isError && !usage.data && <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && <Panels usage={usage.data} />}
    </>
  );
}

function Panels({ usage }: { usage: UsageView }) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const group = useId();
  if (usage.points.length === 0) return <EmptyState title={t("usage.none")} text={t("usage.noneText")} />;
  const curves = usageSeries(usage.points, t);
  const devices = deviceSeries(usage.points);
  const cpus = (value: number) => format.decimal(value, 2);
  const rate = (value: number) => t("usage.perSecond", { size: format.bytes(value) });
  const common = { x: "time" as const, group, formatX: (x: number) => format.dateTime(new Date(x).toISOString()) };
  const limitOf = (value: number, text: string) => (value > 0 ? { value, label: t("usage.limit", { amount: text }) } : null);
  return (
    <div className={chartStyles.grid}>
      <Chart {...common} label={t("usage.cpu")} series={curves.cpus} formatValue={cpus} limit={limitOf(usage.limits.cpus, cpus(usage.limits.cpus))} />
      <Chart {...common} label={t("usage.memory")} series={curves.memory} formatValue={format.bytes} unit="bytes" limit={limitOf(usage.limits.memory_bytes, format.bytes(usage.limits.memory_bytes))} />
      {devices.busy.length > 0 && <Chart {...common} label={t("usage.accelerators")} series={devices.busy} formatValue={format.percent} limit={null} atLeast={1} />}
      {devices.memory.length > 0 && <Chart {...common} label={t("usage.acceleratorMemory")} series={devices.memory} formatValue={format.bytes} unit="bytes" limit={null} />}
      {curves.network.some(isMeasured) ? (
        <Chart {...common} label={t("usage.network")} series={curves.network} formatValue={rate} unit="bytes" limit={null} atLeast={1024} />
      ) : (
        <section className={chartStyles.chart}>
          <div className={chartStyles.head}>
            <span className={chartStyles.name}>{t("usage.network")}</span>
          </div>
          <p className={`${chartStyles.empty} ${styles.notMeasured}`}>{t("usage.networkNotMeasured")}</p>
        </section>
      )}
      <Chart {...common} label={t("usage.disk")} series={curves.disk} formatValue={rate} unit="bytes" limit={null} atLeast={1024} />
    </div>
  );
}
