import { Table } from "antd";
import type { TableColumnType } from "antd";
import { useTranslation } from "react-i18next";
import type { ListState } from "./list-state";
import { RowMenu } from "./RowMenu";
import type { ListColumn, RowAction } from "./types";
import styles from "./ListPage.module.css";

export interface RowsProps<T> {
  rows: T[];
  columns: ListColumn<T>[];
  state: ListState;
  keyOf: (row: T) => string;
  nameOf: (row: T) => string;
  rowActions?: (row: T) => RowAction[];
  onRowClick?: (row: T) => void;
  selection: { keys: string[]; set: (keys: string[]) => void } | null;
}

export function ListTable<T extends object>({ rows, columns, state, keyOf, nameOf, rowActions, onRowClick, selection }: RowsProps<T>) {
  const { t } = useTranslation();
  const tableColumns: TableColumnType<T>[] = columns.map((column) => ({
    key: column.sort ?? column.key,
    title: column.title,
    width: column.width,
    align: column.align,
    render: (_: unknown, row: T) => <div className={styles.cell}>{column.render(row)}</div>,
    sorter: column.sort !== undefined,
    sortOrder: sortOrder(state.sort, column.sort),
    showSorterTooltip: false,
  }));
  if (rowActions) {
    tableColumns.push({
      key: "actions",
      title: <span className="tm-hidden">{t("list.actions")}</span>,
      width: 48,
      align: "right",
      className: styles.stuck,
      render: (_: unknown, row: T) => <RowMenu name={nameOf(row)} actions={rowActions(row)} />,
    });
  }
  return (
    <Table<T>
      className={styles.table}
      size="middle"
      rowKey={keyOf}
      columns={tableColumns}
      dataSource={rows}
      pagination={false}
      onRow={onRowClick ? (row) => ({ onClick: () => onRowClick(row), className: styles.clickable }) : undefined}
      rowSelection={
        selection
          ? {
              selectedRowKeys: selection.keys,
              onChange: (keys) => selection.set(keys.map(String)),
              getCheckboxProps: (row) => ({ "aria-label": t("list.select", { name: nameOf(row) }) }),
            }
          : undefined
      }
      onChange={(_pagination, _filters, sorter) => {
        const one = Array.isArray(sorter) ? sorter[0] : sorter;
        const field = String(one?.columnKey ?? "");
        state.change({ sort: one?.order ? `${one.order === "descend" ? "-" : ""}${field}` : null });
      }}
    />
  );
}

function sortOrder(sort: string, field: string | undefined) {
  if (field === undefined) return null;
  if (sort === field) return "ascend" as const;
  return sort === `-${field}` ? ("descend" as const) : null;
}
