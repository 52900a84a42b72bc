/** How good the model is class by class; any column sorts. */
import { Table } from "antd";
import type { TableColumnType } from "antd";
import { useTranslation } from "react-i18next";
import type { CSSProperties } from "react";
import { useMetricText } from "@/features/models/words";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import { TableBox } from "@/ui/ScrollBox";
import { columnsOf } from "./class-columns";
import { BACKGROUND } from "./examples";
import type { ClassRow } from "./result";
import styles from "./Evaluations.module.css";

const PAGE = 50;

export function ClassTable({ classes, onClass }: { classes: ClassRow[]; onClass?: (label: string) => void }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const metricText = useMetricText();
  if (classes.length === 0) return null;
  const columns: TableColumnType<ClassRow>[] = [
    {
      key: "label",
      title: t("classes.label"),
      sorter: (a, b) => a.label.localeCompare(b.label),
      render: (_value, { label }) => {
        const name = label === BACKGROUND ? t("confusion.background") : label;
        return onClass ? (
          <button type="button" className={styles.link} title={t("classes.examples", { label: name })} onClick={() => onClass(label)}>
            {name}
          </button>
        ) : (
          name
        );
      },
    },
    { key: "support", title: t("classes.support"), align: "right", defaultSortOrder: "descend", sorter: (a, b) => (a.support ?? -1) - (b.support ?? -1), render: (_value, { support }) => (support === null ? "–" : format.number(support)) },
    ...columnsOf(classes).map((name) => ({
      key: name,
      title: metricText(name),
      align: "right" as const,
      sorter: (a: ClassRow, b: ClassRow) => (a.values[name] ?? -1) - (b.values[name] ?? -1),
      render: (_value: unknown, { values }: ClassRow) => <Share value={values[name]} />,
    })),
  ];
  return (
    <Panel title={t("classes.title")}>
      <TableBox label={t("classes.title")}>
        <Table<ClassRow> size="small" rowKey="label" columns={columns} dataSource={classes} pagination={classes.length > PAGE ? { pageSize: PAGE, size: "small", showSizeChanger: false } : false} showSorterTooltip={false} />
      </TableBox>
    </Panel>
  );
}

/** A share with a bar behind it, so that a weak class is seen at once. */
export function Share({ value }: { value: number | null | undefined }) {
  const format = useFormat();
  if (value === null || value === undefined) return <span className="tm-muted">–</span>;
  return (
    <span className={styles.share} style={{ "--tm-share": Math.max(0, Math.min(1, value)) } as CSSProperties}>
      {format.percent(value)}
    </span>
  );
}
