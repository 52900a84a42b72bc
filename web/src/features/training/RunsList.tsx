import { DeleteOutlined, LineChartOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { Duration } from "@/features/workloads/Duration";
import { STATES } from "@/features/workloads/states";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { deleteRun, listRuns } from "./api";
import { byInterest } from "./metric-order";
import { comparePath, runPath, runsKey } from "./queries";
import { useRunActions } from "./run-actions";
import type { RunView, TaskView } from "./types";
import styles from "./Training.module.css";

const COMPARED_MAX = 20;
const METRICS_SHOWN = 3;

/** The runs of a task; ticked ones are laid over each other. */
export function RunsList({ project, task }: { project: string; task: TaskView }) {
  const { t } = useTranslation(["training", "workloads", "common"]);
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "training.write");
  const { actionsOf } = useRunActions(project);
  const compare: BulkAction<RunView> = {
    key: "compare",
    label: t("compare.action"),
    icon: <LineChartOutlined aria-hidden />,
    open: (runs) => void navigate(comparePath(project, runs.map((run) => run.name))),
    disabledReason: (runs) => (runs.length < 2 ? t("compare.tooFew") : runs.length > COMPARED_MAX ? t("compare.tooMany", { max: COMPARED_MAX }) : undefined),
  };
  const remove: BulkAction<RunView> = {
    key: "delete",
    label: t("common:action.delete"),
    icon: <DeleteOutlined aria-hidden />,
    isDanger: true,
    confirmTitle: (runs) => t("run.deleteMany", { count: runs.length }),
    run: (run) => deleteRun({ project, run: run.id }),
  };
  return (
    <ListPage<RunView>
      listKey="runs"
      queryKey={[...runsKey(project), task.id]}
      load={(query) => listRuns(project, { ...query, filters: { ...query.filters, task: task.id } })}
      columns={useColumns(project)}
      filters={[{ kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`workloads:state.${state}`) })) }]}
      keyOf={(run) => run.id}
      nameOf={(run) => run.name}
      rowActions={actionsOf}
      bulkActions={canWrite ? [compare, remove] : [compare]}
      empty={{ title: t("run.empty"), text: t("run.emptyText") }}
    />
  );
}

function useColumns(project: string): ListColumn<RunView>[] {
  const { t } = useTranslation(["training", "workloads", "common"]);
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (run) => <Link to={runPath(project, run)}>{run.name}</Link> },
    { key: "state", title: t("common:field.state"), render: (run) => <WorkloadState of={{ ...run, waiting: run.workload?.waiting }} /> },
    { key: "metrics", title: t("metrics.title"), render: (run) => <LastMetrics run={run} /> },
    { key: "duration", title: t("workloads:field.duration"), render: (run) => <Duration of={run} /> },
    { key: "model", title: t("run.model"), render: (run) => run.model ?? <span className="tm-muted">–</span> },
    { key: "attempt", title: t("workloads:field.attempt"), align: "right", isHidden: true, render: (run) => run.attempt },
    { key: "created", title: t("run.createdAt"), sort: "created_at", render: (run) => <RelativeTime at={run.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (run) => run.created_by },
  ];
}

function LastMetrics({ run }: { run: RunView }) {
  const format = useFormat();
  const shown = byInterest(Object.keys(run.metrics)).slice(0, METRICS_SHOWN);
  if (shown.length === 0) return <span className="tm-muted">–</span>;
  const valueText = (value: number | null | undefined) => (value === null || value === undefined ? "–" : format.compact(value));
  return (
    <span className={styles.metrics}>
      {shown.map((key) => (
        <span key={key}>
          <span className="tm-muted">{key}</span> {valueText(run.metrics[key])}
        </span>
      ))}
    </span>
  );
}
