/** Evaluations: of a project, of a model version, or on a dataset version. Ticked ones are laid side by side. */
import { DeleteOutlined, DiffOutlined } from "@ant-design/icons";
import { Tag } from "antd";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useMetricText, useMetricValue, useTaskText } from "@/features/models/words";
import { useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn, ListFilter } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { deleteEvaluation, listEvaluations } from "./api";
import { nameOf, useEvaluationActions } from "./evaluation-actions";
import { EvaluationProgress } from "./EvaluationProgress";
import { comparePath, evaluationPath, listKey } from "./queries";
import type { EvaluationView } from "./types";

const STATES = ["waiting", "running", "done", "failed", "stopped"] as const;
export const COMPARED_MAX = 10;

interface EvaluationListProps {
  project: string;
  /** Only of this model version, `name@3`. */
  model?: string;
  /** Only on this dataset version, `name@3`. */
  dataset?: string;
  title?: string;
  description?: string;
  action?: ReactNode;
}

export function EvaluationList({ project, model, dataset, title, description, action }: EvaluationListProps) {
  const { t } = useTranslation(["evaluations", "datasets", "common"]);
  const canWrite = useProjectPermission(project, "training.write");
  const actionsOf = useEvaluationActions(project);
  const filters = useMemo<ListFilter[]>(
    () => [
      { kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`datasets:workState.${state}`) })) },
      ...(model ? [] : [{ kind: "text" as const, key: "model", label: t("filter.model") }]),
      ...(dataset ? [] : [{ kind: "text" as const, key: "dataset", label: t("filter.dataset") }]),
    ],
    [t, model, dataset],
  );
  const bulk = useBulk(project, canWrite);
  return (
    <ListPage<EvaluationView>
      listKey="evaluations"
      queryKey={[...listKey(project), model ?? "", dataset ?? ""]}
      load={(query) => listEvaluations(project, { ...query, filters: { ...query.filters, ...(model && { model }), ...(dataset && { dataset }) } })}
      columns={useColumns(project, model !== undefined, dataset !== undefined)}
      keyOf={(evaluation) => evaluation.id}
      nameOf={nameOf}
      title={title}
      description={description}
      primaryAction={action}
      filters={filters}
      isSearchable={false}
      defaultSort="-created_at"
      rowActions={actionsOf}
      bulkActions={bulk}
      empty={{ title: t("empty"), text: t("emptyText"), action }}
    />
  );
}

function useBulk(project: string, canWrite: boolean): BulkAction<EvaluationView>[] {
  const { t } = useTranslation(["evaluations", "common"]);
  const navigate = useNavigate();
  const refusal = (rows: EvaluationView[]) => {
    if (rows.length < 2) return t("compare.tooFew");
    if (rows.length > COMPARED_MAX) return t("compare.tooMany", { max: COMPARED_MAX });
    if (rows.some((row) => row.state !== "done")) return t("compare.notDone");
    return new Set(rows.map((row) => `${row.dataset} ${row.part}`)).size > 1 ? t("compare.differ") : undefined;
  };
  const compare: BulkAction<EvaluationView> = {
    key: "compare",
    label: t("compare.action"),
    icon: <DiffOutlined aria-hidden />,
    open: (rows) => void navigate(comparePath(project, rows.map((row) => row.id))),
    disabledReason: refusal,
  };
  const remove: BulkAction<EvaluationView> = {
    key: "delete",
    label: t("common:action.delete"),
    icon: <DeleteOutlined aria-hidden />,
    isDanger: true,
    confirmTitle: (rows) => t("delete.titleMany", { count: rows.length }),
    run: (row) => deleteEvaluation({ project, id: row.id }),
  };
  return canWrite ? [compare, remove] : [compare];
}

function useColumns(project: string, isOneModel: boolean, isOneDataset: boolean): ListColumn<EvaluationView>[] {
  const { t } = useTranslation(["evaluations", "common"]);
  const format = useFormat();
  const taskText = useTaskText();
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const none = <span className="tm-muted">–</span>;
  return [
    // The first column leads to the evaluation: by its model, or by its dataset where all are of one model.
    { key: "name", title: isOneModel ? t("column.dataset") : t("column.model"), render: (evaluation) => <Link to={evaluationPath(project, evaluation.id)}>{isOneModel ? evaluation.dataset : evaluation.model}</Link> },
    ...(isOneModel || isOneDataset ? [] : [{ key: "dataset", title: t("column.dataset"), render: (evaluation: EvaluationView) => evaluation.dataset }]),
    { key: "state", title: t("common:field.state"), render: (evaluation) => <EvaluationProgress evaluation={evaluation} /> },
    {
      key: "primary",
      title: t("column.primary"),
      sort: "primary_value",
      render: ({ primary, primary_value: value }) =>
        primary && value !== null ? (
          <>
            <span className="tm-muted">{metricText(primary)}</span> <strong>{metricValue(primary, value)}</strong>
          </>
        ) : (
          none
        ),
    },
    { key: "part", title: t("column.part"), render: ({ part, items }) => (items === null ? t(`part.${part === "all" ? "all" : "test"}`) : t("partItems", { part: t(`part.${part === "all" ? "all" : "test"}`), count: items, items: format.number(items) })) },
    { key: "task", title: t("column.task"), isHidden: true, render: ({ task }) => taskText(task) },
    { key: "threshold", title: t("threshold.title"), align: "right", isHidden: true, render: ({ threshold }) => (threshold === null ? none : format.decimal(threshold, 2)) },
    { key: "origin", title: t("column.origin"), render: ({ origin, run }) => (origin === "run" ? <Tag>{run?.name ?? t("origin.run")}</Tag> : <Tag>{t("origin.asked")}</Tag>) },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (evaluation) => <RelativeTime at={evaluation.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (evaluation) => evaluation.created_by },
  ];
}
