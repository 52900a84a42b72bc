/** The curves of one run or of several laid over each other, live. */
import { useQueries } from "@tanstack/react-query";
import { Segmented, Skeleton, Slider, Switch } from "antd";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import chartStyles from "@/ui/chart/Chart.module.css";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Facts, Panel } from "@/ui/Facts";
import { useAddress } from "@/ui/address";
import { SearchBox } from "@/ui/list/SearchBox";
import { isEnded } from "@/features/workloads/states";
import { readMetrics } from "./api";
import { chartsOf, isOnce } from "./curves";
import type { KeyChart, XAxis } from "./curves";
import { metricsKey, refOf } from "./queries";
import { RunsSelect } from "./RunsSelect";
import type { RunView, Series } from "./types";
import styles from "./Training.module.css";

const POINTS = 1000;
const LIVE_MS = 2_000;
const SMOOTH_MAX = 0.99;
const AXES: XAxis[] = ["step", "relative", "time"];

interface RunMetricsProps {
  project: string;
  runs: RunView[];
}

export function RunMetrics({ project, runs }: RunMetricsProps) {
  const { t } = useTranslation("training");
  const view = useMetricsView();
  const only = runs.length === 1 ? runs[0] : undefined;
  const names = [...new Set([...runs.map(refOf), ...(only ? view.others : [])])];
  const labels = new Map(runs.map((run) => [refOf(run), run.name]));
  const isRunning = runs.some((run) => !isEnded(run.state));
  const found = useQueries({
    queries: names.map((run) => ({
      queryKey: metricsKey({ project, run }),
      queryFn: () => readMetrics({ project, run }, POINTS),
      // Curves may still come in for a moment after the run has ended; the server says when they are complete.
      refetchInterval: (query: { state: { data?: { is_over: boolean } } }) => (query.state.data?.is_over ? false : LIVE_MS),
    })),
  });
  const failed = found.find((one) => one.isError && !one.data);
  if (found.some((one) => one.isPending)) return <Skeleton active paragraph={{ rows: 8 }} />;
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  // The client's type of an answer forgets that a point always has three parts.
  const curves = names.map((run, index) => ({ run: labels.get(run) ?? run, series: (found[index]?.data?.series ?? []) as Series[] }));
  const hasAny = curves.some((one) => one.series.length > 0);
  return (
    <>
      <MetricsTools view={view} project={project} run={only} />
      {hasAny ? <Charts curves={curves} view={view} isRunning={isRunning} /> : <EmptyState title={isRunning ? t("metrics.notYet") : t("metrics.none")} text={t("metrics.noneText")} />}
    </>
  );
}

function Charts({ curves, view, isRunning }: { curves: Parameters<typeof chartsOf>[0]; view: MetricsView; isRunning: boolean }) {
  const { t } = useTranslation("training");
  const format = useFormat();
  const group = useId();
  const found = chartsOf(curves, view).filter((chart) => chart.key.toLowerCase().includes(view.q.toLowerCase()));
  // While it runs, the first point of a curve is the beginning of one.
  const numbers = isRunning ? [] : found.filter(isOnce);
  const charts = found.filter((chart) => !numbers.includes(chart));
  if (found.length === 0) return <EmptyState picture="search" title={t("metrics.nothingFound")} />;
  const formatX: Record<XAxis, (x: number) => string> = {
    step: (x) => format.number(x),
    time: (x) => format.dateTime(new Date(x).toISOString()),
    relative: (x) => format.duration(Math.max(0, x)),
  };
  return (
    <>
      {numbers.length > 0 && <Numbers charts={numbers} />}
      <div className={chartStyles.grid}>
        {charts.map(({ key, series }) => (
          <Chart
            key={key}
            label={key}
            series={series}
            x={view.axis === "time" ? "time" : "number"}
            formatX={formatX[view.axis]}
            formatValue={format.compact}
            isLog={view.isLog}
            group={group}
            height={240}
          />
        ))}
      </div>
    </>
  );
}

/** What was measured once, of each run that did. */
function Numbers({ charts }: { charts: KeyChart[] }) {
  const { t } = useTranslation("training");
  const format = useFormat();
  const facts = charts.map(({ key, series }) => {
    const runs = series.filter((one) => !one.isFaint);
    return {
      key,
      label: key,
      value: runs.map(({ key: run, name, points }) => (
        <div key={run}>
          {format.compact(points[0]?.[1] ?? NaN)} {runs.length > 1 && <span className="tm-muted">{name}</span>}
        </div>
      )),
    };
  });
  return (
    <Panel title={t("metrics.once")}>
      <Facts facts={facts} />
    </Panel>
  );
}

type MetricsView = ReturnType<typeof useMetricsView>;

/** How the curves are looked at; in the address, so that a link shows the same. */
function useMetricsView() {
  const [params, change] = useAddress();
  const axis = AXES.find((one) => one === params.get("x")) ?? "step";
  return {
    axis,
    weight: Math.min(SMOOTH_MAX, Math.max(0, Number(params.get("smooth")) || 0)),
    isLog: params.get("log") === "true",
    q: params.get("key") ?? "",
    others: (params.get("with") ?? "").split(",").filter(Boolean),
    change,
  };
}

function MetricsTools({ view, project, run }: { view: MetricsView; project: string; run: RunView | undefined }) {
  const { t } = useTranslation("training");
  const logId = useId();
  return (
    <div className={styles.tools}>
      <SearchBox className={styles.search} value={view.q} label={t("metrics.search")} onSearch={(key) => view.change({ key })} />
      <Segmented<XAxis> aria-label={t("metrics.axis")} value={view.axis} options={AXES.map((value) => ({ value, label: t(`metrics.x.${value}`) }))} onChange={(x) => view.change({ x: x === "step" ? null : x })} />
      <span className={styles.slider}>
        <span>{t("metrics.smooth")}</span>
        <Slider
          min={0}
          max={SMOOTH_MAX}
          step={0.01}
          value={view.weight}
          ariaLabelForHandle={t("metrics.smooth")}
          onChange={(smooth: number) => view.change({ smooth: smooth === 0 ? null : String(smooth) })}
        />
      </span>
      <label className={styles.switch} htmlFor={logId}>
        <Switch id={logId} size="small" checked={view.isLog} onChange={(isLog) => view.change({ log: isLog ? "true" : null })} />
        {t("metrics.log")}
      </label>
      {run && <RunsSelect project={project} run={run} value={view.others} onChange={(runs) => view.change({ with: runs.join(",") })} />}
    </div>
  );
}
