import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Alert, Segmented, Skeleton, Switch, Table } from "antd";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { RefreshSelect, useRefreshInterval } from "@/features/overview/refresh";
import { useFormat } from "@/lib/format";
import { useAddress } from "@/ui/address";
import { Chart } from "@/ui/chart/Chart";
import chartStyles from "@/ui/chart/Chart.module.css";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { TableBox } from "@/ui/ScrollBox";
import { readMetrics } from "../api";
import type { ServiceRef } from "../api";
import { serviceKey } from "../queries";
import type { MetricsView, Series, ServiceView } from "../types";
import { chartSeries, drawn, hasFigure, isQuiet, keyOf } from "./series";
import type { Figure } from "./series";
import styles from "../Services.module.css";

const MINUTES = { "15m": 15, "1h": 60, "6h": 360, "24h": 1440, "7d": 10_080 } as const;
type Range = keyof typeof MINUTES;
const RANGES = Object.keys(MINUTES) as Range[];

/** How the service does: for each deployment and replica, over a time that is chosen. */
export function MetricsTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const [params, change] = useAddress();
  const [seconds, setSeconds] = useRefreshInterval();
  const replicasId = useId();
  const range = RANGES.find((one) => one === params.get("range")) ?? "1h";
  const withReplicas = params.get("by") === "replica";
  const metrics = useQuery({
    queryKey: [...serviceKey(of), "metrics", range, withReplicas],
    queryFn: () => readMetrics(of, { since: new Date(Date.now() - MINUTES[range] * 60_000).toISOString(), replicas: withReplicas }),
    refetchInterval: seconds === 0 ? false : seconds * 1000,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className={styles.tools}>
        <Segmented<Range> aria-label={t("metrics.range")} value={range} options={RANGES.map((value) => ({ value, label: t(`metrics.last.${value}`) }))} onChange={(next) => change({ range: next === "1h" ? null : next })} />
        <label className={styles.switch} htmlFor={replicasId}>
          <Switch id={replicasId} size="small" checked={withReplicas} onChange={(isOn) => change({ by: isOn ? "replica" : null })} />
          {t("metrics.byReplica")}
        </label>
        <span className={styles.end}>
          <RefreshSelect value={seconds} onChange={setSeconds} />
        </span>
      </div>
      {metrics.isPending && <Skeleton active paragraph={{ rows: 8 }} />}
      {metrics.isError && !metrics.data && <ErrorState error={metrics.error} onRetry={() => void metrics.refetch()} />}
      {metrics.data && <Figures metrics={metrics.data} service={service} withReplicas={withReplicas} />}
    </>
  );
}

/** What axes reach at least to: little of nothing would fill them otherwise. */
const AT_LEAST: Partial<Record<Figure, number>> = { errors: 0.04, inFlight: 4 };
const LEAST_RATE = 0.01;

function Figures({ metrics, service, withReplicas }: { metrics: MetricsView; service: ServiceView; withReplicas: boolean }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const group = useId();
  const nameOf = useSeriesName(service);
  const shown = drawn(metrics.series, withReplicas);
  const xRange = [Date.parse(metrics.since), Date.parse(metrics.until)] as const;
  const ms = (value: number) => t("ms", { value: format.compact(value) });
  const formats: Record<Figure, (value: number) => string> = {
    requests: (value) => t("perSecond", { rate: format.compact(value) }),
    p50: ms,
    p90: ms,
    p99: ms,
    errors: format.percent,
    inFlight: format.compact,
    batch: format.compact,
  };
  return (
    <>
      {isQuiet(metrics.series) && <Alert className={styles.banner} type="info" showIcon title={t("metrics.none")} />}
      {shown.some((one) => one.is_shadow) && <p className={styles.about}>{t("metrics.shadowText")}</p>}
      <Totals series={shown} nameOf={nameOf} />
      <div className={chartStyles.grid}>
        {(Object.keys(formats) as Figure[]).filter((figure) => figure !== "batch" || hasFigure(shown, figure)).map((figure) => (
          <Chart key={figure} label={t(`metrics.figure.${figure}`)} series={chartSeries(shown, figure, nameOf)} x="time" xRange={xRange} limit={null} atLeast={AT_LEAST[figure]} formatValue={formats[figure]} formatX={(x) => format.dateTime(new Date(x).toISOString())} group={group} />
        ))}
      </div>
    </>
  );
}

/** The whole time in one row for each curve. */
function Totals({ series, nameOf }: { series: Series[]; nameOf: (series: Series) => string }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const rateText = (rate: number) => (rate > 0 && rate < LEAST_RATE ? t("metrics.lessThan", { value: format.compact(LEAST_RATE) }) : format.decimal(rate, 2));
  const ms = (value: number | null) => (value === null ? "–" : t("ms", { value: format.decimal(value, 1) }));
  return (
    <Panel>
      <TableBox label={t("metrics.totals")}>
        <Table<Series>
          size="small"
          rowKey={keyOf}
          pagination={false}
          dataSource={series}
          columns={[
            { key: "name", title: t("metrics.of"), render: (_, one) => nameOf(one) },
            { key: "requests", title: t("metrics.requests"), align: "right", render: (_, one) => format.number(one.total.requests) },
            { key: "rate", title: t("metrics.figure.requests"), align: "right", render: (_, one) => rateText(one.total.requests_per_s) },
            { key: "errors", title: t("metrics.errors"), align: "right", render: (_, one) => `${format.number(one.total.errors)}${one.total.error_rate === null ? "" : ` (${format.percent(one.total.error_rate)})`}` },
            { key: "refused", title: t("metrics.refused"), align: "right", render: (_, one) => format.number(one.total.refused) },
            { key: "p50", title: t("rules.of.p50_ms"), align: "right", render: (_, one) => ms(one.total.p50_ms) },
            { key: "p90", title: t("rules.of.p90_ms"), align: "right", render: (_, one) => ms(one.total.p90_ms) },
            { key: "p99", title: t("rules.of.p99_ms"), align: "right", render: (_, one) => ms(one.total.p99_ms) },
          ]}
        />
      </TableBox>
    </Panel>
  );
}

function useSeriesName(service: ServiceView): (series: Series) => string {
  const { t } = useTranslation("services");
  const replicas = new Map([service.production, service.canary].flatMap((track) => track?.replicas ?? []).map((replica) => [replica.id, replica.name]));
  return (series) => {
    if (series.number === null) return t("rules.whole");
    // What is behind it no longer is told by its number: the package alone may be there again.
    const number = t("deploymentNumber", { number: series.number });
    const deployment = (series.role ? [t(`role.${series.role}`), series.package ?? number] : [series.package, number]).filter(Boolean).join(" · ");
    const replica = series.replica === null ? null : (replicas.get(series.replica) ?? series.replica);
    return [deployment, replica, series.is_shadow ? t("metrics.shadow") : null].filter(Boolean).join(" · ");
  };
}
