/** What there is, what runs, and how much of the machines that takes; now and over the last day. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Progress, Segmented, Skeleton } from "antd";
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { projectPath } from "@/features/projects/current-project";
import { STATES, TONES } from "@/features/workloads/states";
import type { WorkloadState } from "@/features/workloads/types";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import chartStyles from "@/ui/chart/Chart.module.css";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { StateBadge } from "@/ui/StateBadge";
import { readCurves, readOverview } from "./api";
import { curvesOf, useResourceText } from "./resources";
import type { OverviewView, ResourceUse } from "./types";
import styles from "./Overview.module.css";

const HOURS = [1, 6, 24, 72];
const NEARLY_FULL = 0.9;

interface OverviewProps {
  /** Null: the whole platform. */
  project: string | null;
  /** 0: only when asked. */
  refreshS: number;
  /** Further figures, before the others. */
  figures?: ReactNode;
}

export function Overview({ project, refreshS, figures }: OverviewProps) {
  const query = useQuery({
    queryKey: ["overview", project, "now"],
    queryFn: () => readOverview(project),
    refetchInterval: refreshS > 0 ? refreshS * 1000 : false,
  });
  if (query.isPending) return <Skeleton active paragraph={{ rows: 6 }} />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <Figures project={project} overview={query.data} more={figures} />
      <Resources project={project} overview={query.data} />
      <Workloads project={project} overview={query.data} />
      <Curves project={project} refreshS={refreshS} />
    </>
  );
}

const LINKED = ["datasets", "algorithms", "models", "images"] as const;
/** Kinds whose pages a project has. */
const PAGES: readonly string[] = ["algorithms", "models", "images"];

function Figures({ project, overview, more }: { project: string | null; overview: OverviewView; more: ReactNode }) {
  const { t } = useTranslation("overview");
  return (
    <div className={styles.figures}>
      {more}
      {LINKED.map((kind) => (
        <Figure key={kind} label={t(`count.${kind}`)} value={overview.counts[kind] ?? 0} to={project !== null && PAGES.includes(kind) ? projectPath(project, kind) : null} />
      ))}
    </div>
  );
}

export function Figure({ label, value, to }: { label: string; value: number; to: string | null }) {
  const format = useFormat();
  const content = (
    <>
      <small>{label}</small>
      <strong>{format.number(value)}</strong>
    </>
  );
  return to ? (
    <Link className={styles.figure} to={to}>
      {content}
    </Link>
  ) : (
    <div className={styles.figure}>{content}</div>
  );
}

function Workloads({ project, overview }: { project: string | null; overview: OverviewView }) {
  const { t } = useTranslation(["overview", "workloads"]);
  const format = useFormat();
  const shown = (state: WorkloadState) => (
    <>
      <StateBadge tone={TONES[state]} text={t(`workloads:state.${state}`)} />
      <strong>{format.number(overview.workloads[state] ?? 0)}</strong>
    </>
  );
  return (
    <Panel title={t("workloads:title")}>
      <ul className={styles.states}>
        {STATES.map((state) => (
          <li key={state}>{project === null ? <span>{shown(state)}</span> : <Link to={`${projectPath(project, "workloads")}?state=${state}`}>{shown(state)}</Link>}</li>
        ))}
      </ul>
    </Panel>
  );
}

function Resources({ project, overview }: { project: string | null; overview: OverviewView }) {
  const { t } = useTranslation("overview");
  return (
    <Panel title={project === null ? t("resources.title") : t("resources.project")}>
      <div className={styles.meters}>
        {overview.resources.map((resource) => (
          <Meter key={resource.name} resource={resource} />
        ))}
      </div>
    </Panel>
  );
}

function Meter({ resource }: { resource: ResourceUse }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const text = useResourceText();
  const { capacity, used } = resource;
  const share = capacity > 0 ? used / capacity : 0;
  const words = t("resources.usedOf", { used: text.amount(resource.name, used), capacity: text.amount(resource.name, capacity) });
  return (
    <div>
      <div className={styles.meterHead}>
        <span>{text.name(resource.name)}</span>
        <strong>{format.percent(share)}</strong>
      </div>
      <Progress percent={Math.min(100, share * 100)} showInfo={false} status="normal" strokeColor={share >= NEARLY_FULL ? "var(--tm-accent)" : "var(--tm-primary)"} aria-label={`${text.name(resource.name)}: ${words}`} />
      <small className="tm-muted">{words}</small>
    </div>
  );
}

function Curves({ project, refreshS }: { project: string | null; refreshS: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const text = useResourceText();
  const group = useId();
  const [hours, setHours] = useState(24);
  const query = useQuery({
    queryKey: ["overview", project, "curves", hours],
    queryFn: () => readCurves(project, hours),
    // Points are kept by the minute; asking more often would show nothing new.
    refetchInterval: refreshS > 0 ? Math.max(60, refreshS) * 1000 : false,
    placeholderData: keepPreviousData,
  });
  return (
    <section className={styles.curves}>
      <div className={styles.curvesHead}>
        <h2>{t("curves.title")}</h2>
        <Segmented<number> aria-label={t("curves.range")} value={hours} options={HOURS.map((value) => ({ value, label: format.duration(value * 3600) }))} onChange={setHours} />
      </div>
      {query.isPending && <Skeleton active />}
      {query.isError && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && (
        <div className={chartStyles.grid}>
          {curvesOf(query.data).map(({ name, points, capacity }) => (
            <Chart
              key={name}
              label={text.name(name)}
              x="time"
              group={group}
              series={[{ key: name, name: t("curves.used"), points }]}
              limit={capacity > 0 ? { value: capacity, label: t("curves.capacity", { amount: text.amount(name, capacity) }) } : null}
              unit={name === "memory" ? "bytes" : undefined}
              formatValue={(value) => text.amount(name, value)}
              formatX={(x) => format.dateTime(new Date(x).toISOString())}
            />
          ))}
        </div>
      )}
    </section>
  );
}
