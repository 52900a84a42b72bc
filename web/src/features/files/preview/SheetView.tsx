import { Table } from "antd";
import type { TableColumnType } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { useBoxSize } from "@/lib/box-size";
import { parseSheet, wholeRows } from "./csv";
import styles from "./Preview.module.css";

const ROWS_MAX = 10_000;
const COLUMNS_MAX = 200;
const NUMBER_WIDTH = 64;
const HEADER_HEIGHT = 40;

type Row = string[];

/** The beginning of a table; only the rows in view are drawn. */
export default function SheetView({ text, isCut }: { text: string; isCut: boolean }) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const [box, size] = useBoxSize();
  const sheet = useMemo(() => parseSheet(isCut ? wholeRows(text) : text, ROWS_MAX), [text, isCut]);
  const [head = [], ...rows] = sheet.rows;
  const columns = useMemo(() => columnsOf(head, Math.min(sheet.columns, COLUMNS_MAX), rows), [sheet]); // eslint-disable-line react-hooks/exhaustive-deps -- head and rows are parts of the sheet
  const width = columns.reduce((sum, column) => sum + Number(column.width), 0);
  const isPartial = isCut || sheet.isCut || sheet.columns > COLUMNS_MAX;
  return (
    <>
      {isPartial && (
        <div className={styles.notice}>
          {t("preview.sheetCut", { rows: format.number(rows.length), columns: format.number(Math.min(sheet.columns, COLUMNS_MAX)) })}
        </div>
      )}
      <div ref={box} className={styles.sheet}>
        {size && (
          <Table<Row>
            virtual
            size="small"
            rowKey={(row) => String(rows.indexOf(row))}
            columns={columns}
            dataSource={rows}
            pagination={false}
            scroll={{ x: Math.max(width, size.width), y: Math.max(80, size.height - HEADER_HEIGHT) }}
          />
        )}
      </div>
    </>
  );
}

function columnsOf(head: Row, count: number, rows: Row[]): TableColumnType<Row>[] {
  const number: TableColumnType<Row> = {
    key: "#",
    title: "#",
    width: NUMBER_WIDTH,
    fixed: "left",
    align: "right",
    render: (_value, _row, index) => <span className={styles.rowNumber}>{index + 1}</span>,
  };
  const sample = rows.slice(0, 50);
  const cells = Array.from({ length: count }, (_, at): TableColumnType<Row> => {
    const longest = Math.max(...[head, ...sample].map((row) => (row[at] ?? "").length), 4);
    return {
      key: at,
      title: head[at] ?? "",
      width: Math.min(320, Math.max(80, longest * 9 + 24)),
      ellipsis: true,
      render: (_value, row) => row[at] ?? "",
    };
  });
  return [number, ...cells];
}
