import { Button, Table } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { TableBox } from "@/ui/ScrollBox";
import type { ResultView } from "../types";
import type { ResultsShown } from "./ResultGrid";
import { useSaid } from "./said";
import styles from "../Inference.module.css";

export function ResultTable({ results, onOpen, isErrors }: ResultsShown & { isErrors: boolean }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const said = useSaid();
  return (
    <TableBox label={t("results.title")}>
      <Table<ResultView>
        size="small"
        rowKey="seq"
        dataSource={results}
        pagination={false}
        columns={[
          { key: "seq", title: t("results.number"), width: 80, align: "right", render: (_value, result) => format.number(result.seq) },
          {
            key: "path",
            title: t("results.item"),
            render: (_value, result) => (
              <Button type="link" size="small" style={{ height: "auto", maxWidth: "min(420px, 44vw)", padding: 0, whiteSpace: "normal", textAlign: "left", overflowWrap: "anywhere" }} onClick={() => onOpen(result.seq)}>
                {result.path}
              </Button>
            ),
          },
          { key: "said", title: t(isErrors ? "results.why" : "results.said"), render: (_value, result) => <span className={result.error === null ? undefined : styles.wrong}>{said(result)}</span> },
          ...(isErrors
            ? []
            : [
                { key: "score", title: t("results.score"), align: "right" as const, render: (_value: unknown, result: ResultView) => (result.score === null ? "–" : format.percent(result.score)) },
                { key: "count", title: t("run.annotations"), align: "right" as const, render: (_value: unknown, result: ResultView) => format.number(result.annotations.length) },
              ]),
        ]}
      />
    </TableBox>
  );
}
