/** Parallel coordinates: every run a line across its parameters and metrics, coloured by one of them. */
import { Select, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { runPath } from "@/features/training/queries";
import { useFormat } from "@/lib/format";
import { Parallel } from "@/ui/chart/Parallel";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { useAddress } from "@/ui/address";
import { listExperimentRuns } from "./api";
import type { ExperimentRef } from "./api";
import { axesOf, axisKeys, firstAxes, linesOf } from "./parallel";
import { experimentRunsKey, keysQuery } from "./queries";
import type { ExperimentView, TrackedRun } from "./types";
import styles from "./Experiments.module.css";

const PAGE = 200;
const MOST = 1000;

async function loadRuns(ref: ExperimentRef): Promise<TrackedRun[]> {
  const runs: TrackedRun[] = [];
  let cursor: string | undefined;
  do {
    const page = await listExperimentRuns(ref, { limit: PAGE, cursor, filters: {} });
    runs.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor && runs.length < MOST);
  return runs;
}

export function ParallelPanel({ project, experiment }: { project: string; experiment: ExperimentView }) {
  const { t } = useTranslation("experiments");
  const format = useFormat();
  const navigate = useNavigate();
  const [params, changeAddress] = useAddress();
  const ref = { project, experiment: experiment.id };
  const keys = useQuery(keysQuery(ref));
  const runs = useQuery({ queryKey: [...experimentRunsKey(ref), "all"], queryFn: () => loadRuns(ref) });
  const failed = [keys, runs].find((one) => one.isError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!keys.data || !runs.data) return <Skeleton active paragraph={{ rows: 8 }} />;
  const offered = axisKeys(keys.data);
  if (runs.data.length === 0 || offered.length < 2) return <EmptyState title={t("parallel.none")} text={t("parallel.noneText")} />;

  const chosen = params.has("axes") ? params.getAll("axes").filter((axis) => offered.includes(axis)) : firstAxes(keys.data, runs.data);
  const colour = params.get("colour") ?? chosen.findLast((axis) => axis.startsWith("metrics.")) ?? null;
  const axes = axesOf(runs.data, chosen);
  const options = offered.map((axis) => ({ value: axis, label: axis }));
  const byId = new Map(runs.data.map((run) => [run.id, run]));
  return (
    <>
      <div className={styles.tools}>
        <Select<string[]>
          className={styles.axes}
          mode="multiple"
          maxTagCount="responsive"
          aria-label={t("parallel.axes")}
          prefix={<span className="tm-muted">{t("parallel.axes")}</span>}
          value={chosen}
          options={options}
          onChange={(next) => changeAddress({ axes: next })}
        />
        <Select<string>
          className={styles.colour}
          aria-label={t("parallel.colour")}
          prefix={<span className="tm-muted">{t("parallel.colour")}</span>}
          value={colour}
          options={options}
          onChange={(next) => changeAddress({ colour: next })}
        />
      </div>
      <Parallel
        label={t("parallel.title")}
        axes={axes}
        lines={linesOf(runs.data, axes, colour)}
        shadeName={colour?.slice(colour.indexOf(".") + 1) ?? ""}
        formatValue={(value) => format.compact(value)}
        note={runs.data.length >= MOST ? t("parallel.newest", { count: MOST }) : t("parallel.brush")}
        onOpen={(id) => {
          const run = byId.get(id);
          if (run) void navigate(runPath(project, { task: run.task, name: run.name, id: run.id, experiment_id: experiment.id }));
        }}
      />
    </>
  );
}
