/** An experiment's runs: what they were set to and what they measured, any of it to sort and search by. */
import { DeleteOutlined, LineChartOutlined } from "@ant-design/icons";
import { Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { byInterest } from "@/features/training/metric-order";
import { comparePath, runPath } from "@/features/training/queries";
import { Duration } from "@/features/workloads/Duration";
import { STATES } from "@/features/workloads/states";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listExperimentRuns, putRunAway } from "./api";
import { experimentRunsKey, keysQuery } from "./queries";
import type { ExperimentView, Keys, TrackedRun } from "./types";
import styles from "./Experiments.module.css";

const COMPARED_MAX = 20;
const SHOWN_AT_FIRST = 4;

interface RunsTableProps {
  project: string;
  experiment: ExperimentView;
}

export function RunsTable({ project, experiment }: RunsTableProps) {
  const { t } = useTranslation(["experiments", "training", "workloads", "common"]);
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "training.write");
  const ref = { project, experiment: experiment.id };
  const keys = useQuery(keysQuery(ref));
  const columns = useColumns(project, experiment.id, keys.data);
  if (keys.isPending) return <Skeleton active paragraph={{ rows: 8 }} />;
  if (keys.isError && !keys.data) return <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />;
  const compare: BulkAction<TrackedRun> = {
    key: "compare",
    label: t("training:compare.action"),
    icon: <LineChartOutlined aria-hidden />,
    open: (runs) => void navigate(comparePath(project, runs.map((run) => run.id))),
    disabledReason: (runs) => (runs.length < 2 ? t("training:compare.tooFew") : runs.length > COMPARED_MAX ? t("training:compare.tooMany", { max: COMPARED_MAX }) : undefined),
  };
  const remove: BulkAction<TrackedRun> = {
    key: "delete",
    label: t("common:action.delete"),
    icon: <DeleteOutlined aria-hidden />,
    isDanger: true,
    confirmTitle: (runs) => t("training:run.deleteMany", { count: runs.length }),
    run: (run) => putRunAway(project, run.id),
  };
  return (
    <ListPage<TrackedRun>
      // The columns are of this experiment: another one has others.
      key={experiment.id}
      listKey={`experiment.${experiment.id}`}
      queryKey={experimentRunsKey(ref)}
      load={(query) => listExperimentRuns(ref, query)}
      columns={columns}
      filters={[
        { kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`workloads:state.${state}`) })) },
        { kind: "text", key: "filter", label: t("filter"), isWide: true },
      ]}
      keyOf={(run) => run.id}
      nameOf={(run) => run.name}
      bulkActions={canWrite ? [compare, remove] : [compare]}
      empty={{ title: t("noRuns"), text: t("noRunsText") }}
    />
  );
}

function useColumns(project: string, experimentId: string, keys: Keys | undefined): ListColumn<TrackedRun>[] {
  const { t } = useTranslation(["experiments", "workloads", "common"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  const metrics = byInterest(keys?.metrics ?? []).map((key, index): ListColumn<TrackedRun> => ({
    key: `metrics.${key}`,
    title: key,
    sort: `metrics.${key}`,
    align: "right",
    isHidden: index >= SHOWN_AT_FIRST,
    render: (run) => {
      const value = run.metrics[key];
      return value === undefined || value === null ? none : <span className={styles.number}>{format.compact(value)}</span>;
    },
  }));
  const parameters = (keys?.parameters ?? []).map((key, index): ListColumn<TrackedRun> => ({
    key: `params.${key}`,
    title: key,
    sort: `params.${key}`,
    isHidden: index >= SHOWN_AT_FIRST,
    render: (run) => <Word text={run.parameters[key]} />,
  }));
  const tags = (keys?.tags ?? []).map((key): ListColumn<TrackedRun> => ({ key: `tags.${key}`, title: key, sort: `tags.${key}`, isHidden: true, render: (run) => <Word text={run.tags[key]} /> }));
  return [
    { key: "name", title: t("common:field.name"), sort: "run_name", render: (run) => <Link to={runPath(project, { task: run.task, name: run.name, id: run.id, experiment_id: experimentId })}>{run.name}</Link> },
    { key: "state", title: t("common:field.state"), render: (run) => <WorkloadState of={run} isShort /> },
    ...metrics,
    ...parameters,
    { key: "started", title: t("workloads:field.started"), sort: "start_time", render: (run) => <RelativeTime at={run.started_at} /> },
    { key: "duration", title: t("workloads:field.duration"), isHidden: true, render: (run) => <Duration of={run} /> },
    { key: "task", title: t("task"), isHidden: true, render: (run) => run.task ?? none },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (run) => run.created_by },
    ...tags,
  ];
}

function Word({ text }: { text: string | undefined }) {
  if (text === undefined) return <span className="tm-muted">–</span>;
  return (
    <span className={styles.word} title={text}>
      {text}
    </span>
  );
}
