/** Quality against the number of labels: whether more labels still help. */
import { Table } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { DatasetRef } from "@/features/datasets/types";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { isLowerBetter, useMetricText, useMetricValue } from "@/features/models/words";
import { projectPath } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import { TableBox } from "@/ui/ScrollBox";
import { bestAtEach, measured } from "./curve";
import type { Measured } from "./curve";
import { modelPath } from "./references";
import type { Loop } from "./types";
import styles from "./Loop.module.css";

export function CurvePanel({ of, loop }: { of: DatasetRef; loop: Loop }) {
  const { t } = useTranslation("loop");
  const format = useFormat();
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const points = measured(loop);
  const metric = loop.primary ?? points[0]?.metric ?? "";
  if (points.length === 0) {
    return (
      <Panel title={t("curve.title")}>
        <EmptyState title={t("curve.none")} text={t("curve.noneText")} />
      </Panel>
    );
  }
  const isShare = points.every((point) => point.value >= 0 && point.value <= 1);
  const value = (figure: number) => metricValue(metric, figure);
  return (
    <Panel title={t("curve.title")}>
      <Chart
        label={t("curve.label", { metric: metricText(metric) })}
        x="number"
        height={220}
        series={[{ key: "quality", name: metricText(metric), points: bestAtEach(points, isLowerBetter(metric)), hasDots: true }]}
        // From nothing to everything labelled, and from nothing to perfect where that is a share: how far there is still to go.
        xRange={[0, Math.max(loop.items, ...points.map((point) => point.labelled))]}
        limit={isLowerBetter(metric) ? undefined : null}
        atLeast={isShare ? 1 : undefined}
        formatValue={value}
        formatX={(labels) => format.number(Math.round(labels))}
      />
      <div className={styles.curveTable}>
        <TableBox label={t("curve.title")}>
          <Table<Measured>
            size="small"
            rowKey={(point) => `${point.model}/${point.created_at}`}
            dataSource={points.toReversed()}
            pagination={false}
            columns={[
              { key: "labelled", title: t("curve.labels"), align: "right", render: (_, point) => format.number(point.labelled) },
              { key: "version", title: t("curve.version"), render: (_, point) => <Link to={datasetVersionPath({ ...of, version: point.version })}>{t("curve.number", { number: point.version })}</Link> },
              { key: "model", title: t("curve.model"), render: (_, point) => (point.model ? <Link to={modelPath(of.project, point.model)}>{point.model}</Link> : "–") },
              {
                key: "value",
                title: metricText(metric),
                align: "right",
                render: (_, point) => (point.evaluation ? <Link to={projectPath(of.project, "evaluations", point.evaluation)}>{value(point.value)}</Link> : value(point.value)),
              },
            ]}
          />
        </TableBox>
      </div>
    </Panel>
  );
}
