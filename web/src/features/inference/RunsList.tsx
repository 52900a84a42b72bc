import { DeleteOutlined } from "@ant-design/icons";
import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { Duration } from "@/features/workloads/Duration";
import { isEnded, STATES } from "@/features/workloads/states";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { deleteInferenceRun, listInferenceRuns } from "./api";
import { runPath, runsKey } from "./queries";
import { useInferenceRunActions } from "./run-actions";
import type { InferenceRun, InferenceView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Inference.module.css";

export function RunsList({ project, entry }: { project: string; entry: InferenceView }) {
  const { t } = useTranslation(["inference", "workloads", "common"]);
  const canWrite = useProjectPermission(project, "inference.write");
  const { actionsOf } = useInferenceRunActions(project);
  const remove: BulkAction<InferenceRun> = {
    key: "delete",
    label: t("common:action.delete"),
    icon: <DeleteOutlined aria-hidden />,
    isDanger: true,
    confirmTitle: (runs) => t("run.deleteMany", { count: runs.length }),
    run: (run) => deleteInferenceRun({ project, inference: entry.id, run: run.id }),
  };
  return (
    <ListPage<InferenceRun>
      listKey="inference-runs"
      queryKey={runsKey({ project, inference: entry.id })}
      load={(query) => listInferenceRuns({ project, inference: entry.id }, query)}
      columns={useColumns(project)}
      filters={[{ kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`workloads:state.${state}`) })) }]}
      keyOf={(run) => run.id}
      nameOf={(run) => run.name}
      rowActions={actionsOf}
      bulkActions={canWrite ? [remove] : []}
      empty={{ title: t("run.empty"), text: t("run.emptyText") }}
    />
  );
}

function useColumns(project: string): ListColumn<InferenceRun>[] {
  const { t } = useTranslation(["inference", "workloads", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (run) => <Link to={runPath(project, run.inference, run.number)}>{run.name}</Link> },
    { key: "state", title: t("common:field.state"), render: (run) => <WorkloadState of={{ ...run, waiting: run.workload?.waiting }} /> },
    { key: "done", title: t("run.items"), render: (run) => <Done run={run} /> },
    { key: "rate", title: t("progress.rate"), align: "right", render: (run) => (run.rate === null ? "–" : t("progress.perSecond", { rate: format.decimal(run.rate, 1) })) },
    { key: "errors", title: t("run.errors"), align: "right", render: (run) => format.number(run.errors) },
    { key: "source", title: t("field.source"), isHidden: true, render: (run) => run.source || "–" },
    { key: "dataset", title: t("field.dataset"), isHidden: true, render: (run) => run.dataset || "–" },
    { key: "duration", title: t("workloads:field.duration"), render: (run) => <Duration of={run} /> },
    { key: "created", title: t("run.createdAt"), sort: "created_at", render: (run) => <RelativeTime at={run.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (run) => run.created_by },
  ];
}

function Done({ run }: { run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  if (run.form === "code") return <span className="tm-muted">–</span>;
  return (
    <span className={surfaces.line}>
      {run.total === null ? format.number(run.done) : t("progress.figures", { done: format.number(run.done), total: format.number(run.total) })}
      {!isEnded(run.state) && run.progress !== null && <Progress className={styles.little} size="small" percent={Math.floor(run.progress)} aria-label={t("progress.of", { name: run.name })} />}
    </span>
  );
}
