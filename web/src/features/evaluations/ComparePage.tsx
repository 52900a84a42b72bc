/** Several models on the same data, side by side. */
import { CheckCircleOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Select, Skeleton, Table } from "antd";
import type { TableColumnType } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { isLowerBetter, useMetricText, useMetricValue } from "@/features/models/words";
import { useProjectName } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { useAddress } from "@/ui/address";
import { PageHeader } from "@/ui/PageHeader";
import { TableBox } from "@/ui/ScrollBox";
import { listEvaluations } from "./api";
import { columnsOf } from "./class-columns";
import { Share } from "./ClassTable";
import { bestOf, seriesNames } from "./comparing";
import { datasetOf } from "./dataset-of";
import { COMPARED_MAX } from "./EvaluationList";
import { comparisonQuery, evaluationPath, evaluationQuery, listKey } from "./queries";
import { numbersOf, readCurves } from "./result";
import type { Comparison, EvaluationView } from "./types";
import styles from "./Evaluations.module.css";

const OFFERED = 100;

export default function ComparePage() {
  const { t } = useTranslation("evaluations");
  const project = useProjectName();
  const [params, changeAddress] = useAddress();
  const ids = (params.get("ids") ?? "").split(",").filter(Boolean);
  const compared = useQuery({ ...comparisonQuery(project, ids), enabled: ids.length > 1 });
  const choose = (next: string[]) => changeAddress({ ids: next.join(",") });
  return (
    <section>
      <PageHeader title={t("compare.title")} description={compared.data ? t("compare.on", { dataset: compared.data.dataset }) : t("compare.text")} />
      {ids[0] && <Chooser project={project} ids={ids} first={ids[0]} onChoose={choose} />}
      {ids.length < 2 && <EmptyState title={t("compare.none")} text={t("compare.noneText")} />}
      {ids.length > 1 && compared.isPending && <Skeleton active paragraph={{ rows: 8 }} />}
      {compared.isError && <ErrorState error={compared.error} onRetry={() => void compared.refetch()} />}
      {ids.length > 1 && compared.data && <Compared project={project} comparison={compared.data} />}
    </section>
  );
}

interface ChooserProps {
  project: string;
  ids: string[];
  first: string;
  onChoose: (ids: string[]) => void;
}

/** The others that were measured on the same data. */
function Chooser({ project, ids, first, onChoose }: ChooserProps) {
  const { t } = useTranslation("evaluations");
  const metricValue = useMetricValue();
  const one = useQuery(evaluationQuery({ project, id: first }));
  const dataset = one.data?.dataset;
  const found = useQuery({
    queryKey: [...listKey(project), "compared", dataset],
    queryFn: () => listEvaluations(project, { limit: OFFERED, sort: "-primary_value", filters: { dataset: dataset ?? "", state: "done" } }),
    enabled: dataset !== undefined,
  });
  const offered = (found.data?.items ?? []).filter((evaluation) => evaluation.part === one.data?.part);
  const label = (evaluation: EvaluationView) => [evaluation.model, evaluation.primary && metricValue(evaluation.primary, evaluation.primary_value), evaluation.run?.name ?? (evaluation.threshold === null ? null : `≥ ${evaluation.threshold}`)].filter(Boolean).join(" · ");
  return (
    <div className={styles.toolbar}>
      <Select<string[]>
        className={styles.wideSelect}
        mode="multiple"
        maxCount={COMPARED_MAX}
        aria-label={t("compare.choose")}
        placeholder={t("compare.choose")}
        loading={found.isFetching}
        value={ids}
        showSearch={{ optionFilterProp: "label" }}
        options={offered.map((evaluation) => ({ value: evaluation.id, label: label(evaluation) }))}
        notFoundContent={t("compare.noOthers")}
        onChange={onChoose}
      />
    </div>
  );
}

function Compared({ project, comparison }: { project: string; comparison: Comparison }) {
  return (
    <>
      <Metrics project={project} comparison={comparison} />
      <Curves comparison={comparison} />
      <Classes comparison={comparison} />
      <Differing comparison={comparison} />
    </>
  );
}

function Metrics({ project, comparison }: { project: string; comparison: Comparison }) {
  const { t } = useTranslation("evaluations");
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const names = seriesNames(comparison.evaluations);
  type Row = Comparison["metrics"][number];
  const rows = [...comparison.metrics].sort((a, b) => Number(b.name === comparison.primary) - Number(a.name === comparison.primary));
  const columns: TableColumnType<Row>[] = [
    {
      key: "metric",
      title: t("compare.metric"),
      render: (_value, { name }) => (
        <>
          {name === comparison.primary ? <strong>{metricText(name)}</strong> : metricText(name)}
          {isLowerBetter(name) && <span title={t("lowerIsBetter")}> ↓</span>}
        </>
      ),
    },
    ...comparison.evaluations.map((evaluation, at) => ({
      key: evaluation.id,
      title: <Link to={evaluationPath(project, evaluation.id)}>{names[at]}</Link>,
      align: "right" as const,
      render: (_value: unknown, { name, values, best }: Row) =>
        best === at ? (
          <span className={styles.best}>
            <CheckCircleOutlined aria-label={t("compare.best")} /> {metricValue(name, values[at])}
          </span>
        ) : (
          metricValue(name, values[at])
        ),
    })),
  ];
  return (
    <Panel title={t("metrics")}>
      <TableBox label={t("metrics")}>
        <Table<Row> size="small" rowKey="name" columns={columns} dataSource={rows} pagination={false} />
      </TableBox>
    </Panel>
  );
}

/** One class's curve of every model. */
function Curves({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const metricText = useMetricText();
  const [params, changeAddress] = useAddress();
  const curves = comparison.curves.map((one) => readCurves(one.pr));
  const labels = [...new Set(curves.flatMap((one) => one.map((curve) => curve.label)))];
  const label = labels.find((one) => one === params.get("curve")) ?? labels[0];
  if (label === undefined) return null;
  const names = seriesNames(comparison.evaluations);
  return (
    <Panel
      title={t("curves.title")}
      actions={<Select size="small" style={{ minWidth: 160 }} aria-label={t("curves.class")} value={label} showSearch options={labels.map((one) => ({ value: one, label: one }))} onChange={(one: string) => changeAddress({ curve: one })} />}
    >
      <Chart
        label={label}
        note={t("curves.axes", { x: metricText("recall"), y: metricText("precision") })}
        series={comparison.evaluations.map((evaluation, at) => ({ key: evaluation.id, name: names[at] ?? "", points: (curves[at]?.find((curve) => curve.label === label)?.points ?? []).map(([recall, precision]) => [recall, precision]) }))}
        x="number"
        xRange={[0, 1]}
        limit={null}
        atLeast={1}
        height={320}
        formatValue={(value) => format.decimal(value, 3)}
        formatX={(value) => format.decimal(value, 2)}
      />
    </Panel>
  );
}

function Classes({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const metricText = useMetricText();
  const [params, changeAddress] = useAddress();
  type Row = { label: string; support: number | null; values: (number | null)[] };
  const tables = comparison.classes.map((row) => ({ ...row, values: row.values.map((one) => (one ? numbersOf(one) : null)) }));
  const measures = columnsOf(tables.flatMap((row) => row.values.flatMap((values) => (values ? [{ values }] : []))));
  const measure = measures.find((one) => one === params.get("by")) ?? (measures.includes("f1") ? "f1" : measures[0]);
  if (measure === undefined) return null;
  const names = seriesNames(comparison.evaluations);
  const rows: Row[] = tables.map(({ label, support, values }) => ({ label, support, values: values.map((one) => one?.[measure] ?? null) }));
  const columns: TableColumnType<Row>[] = [
    { key: "label", title: t("classes.label"), sorter: (a, b) => a.label.localeCompare(b.label), render: (_value, { label }) => label },
    { key: "support", title: t("classes.support"), align: "right", defaultSortOrder: "descend", sorter: (a, b) => (a.support ?? -1) - (b.support ?? -1), render: (_value, { support }) => (support === null ? "–" : format.number(support)) },
    ...comparison.evaluations.map((evaluation, at) => ({
      key: evaluation.id,
      title: names[at],
      align: "right" as const,
      sorter: (a: Row, b: Row) => (a.values[at] ?? -1) - (b.values[at] ?? -1),
      render: (_value: unknown, { values }: Row) => (
        <span className={bestOf(values, false) === at ? styles.best : undefined}>
          <Share value={values[at]} />
        </span>
      ),
    })),
  ];
  return (
    <Panel
      title={t("classes.title")}
      actions={<Select size="small" style={{ minWidth: 160 }} aria-label={t("compare.metric")} value={measure} options={measures.map((one) => ({ value: one, label: metricText(one) }))} onChange={(one: string) => changeAddress({ by: one })} />}
    >
      <TableBox label={t("classes.title")}>
        <Table<Row> size="small" rowKey="label" columns={columns} dataSource={rows} pagination={rows.length > 50 ? { pageSize: 50, size: "small", showSizeChanger: false } : false} showSorterTooltip={false} />
      </TableBox>
    </Panel>
  );
}

/** Where the models disagree most. */
function Differing({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  type Row = Comparison["differing"][number];
  const [first] = comparison.evaluations;
  const of = first ? datasetOf(first) : null;
  if (comparison.differing.length === 0) return null;
  const names = seriesNames(comparison.evaluations);
  const columns: TableColumnType<Row>[] = [
    { key: "path", title: t("compare.item"), render: (_value, { seq, path }) => (of ? <Link to={`${datasetVersionPath(of)}?item=${seq}`}>{path}</Link> : path) },
    ...comparison.evaluations.map((evaluation, at) => ({
      key: evaluation.id,
      title: names[at],
      align: "right" as const,
      render: (_value: unknown, { bad }: Row) => (bad[at] === null || bad[at] === undefined ? <span className="tm-muted">{t("compare.fine")}</span> : t("compare.wrong", { share: format.percent(bad[at]) })),
    })),
  ];
  return (
    <Panel title={t("compare.differing")}>
      <p className={styles.text}>{t("compare.differingText")}</p>
      <TableBox label={t("compare.differing")}>
        <Table<Row> size="small" rowKey="seq" columns={columns} dataSource={comparison.differing} pagination={comparison.differing.length > 20 ? { pageSize: 20, size: "small", showSizeChanger: false } : false} />
      </TableBox>
    </Panel>
  );
}
