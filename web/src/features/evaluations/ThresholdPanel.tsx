/** What counts as found: precision, recall and F1 for the confidence asked for. */
import { Button, InputNumber, Slider } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import { Panel } from "@/ui/Facts";
import { useAddress } from "@/ui/address";
import { useMetricText } from "@/features/models/words";
import type { ThresholdRow } from "./result";
import { bestRow, rowAt } from "./thresholds";
import styles from "./Evaluations.module.css";

const MEASURES = ["precision", "recall", "f1"] as const;

export function ThresholdPanel({ rows, initial }: { rows: ThresholdRow[]; initial: number }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const metricText = useMetricText();
  const [params, changeAddress] = useAddress();
  const given = Number(params.get("threshold") ?? NaN);
  const threshold = Number.isFinite(given) ? Math.min(1, Math.max(0, given)) : initial;
  const row = rowAt(rows, threshold);
  const best = bestRow(rows);
  const change = (value: number | null) => changeAddress({ threshold: value === null ? null : String(value) });
  if (!row) return null;
  return (
    <Panel
      title={t("threshold.title")}
      actions={
        best && (
          <Button size="small" onClick={() => change(best.threshold)}>
            {t("threshold.best", { threshold: format.decimal(best.threshold, 2) })}
          </Button>
        )
      }
    >
      <p className={styles.text}>{t("threshold.text")}</p>
      <div className={styles.threshold}>
        <div>
          <div className={styles.slider}>
            <Slider min={0} max={1} step={0.01} value={threshold} ariaLabelForHandle={t("threshold.title")} tooltip={{ formatter: (value) => format.decimal(value ?? 0, 2) }} onChange={change} />
            <InputNumber aria-label={t("threshold.title")} min={0} max={1} step={0.05} value={threshold} onChange={change} />
          </div>
          <dl className={styles.measures} aria-live="polite">
            {MEASURES.map((name) => (
              <div key={name}>
                <dt>{metricText(name)}</dt>
                <dd>{format.percent(row[name])}</dd>
              </div>
            ))}
          </dl>
        </div>
        <Chart
          label={t("threshold.chart")}
          series={MEASURES.map((name) => ({ key: name, name: metricText(name), points: rows.map((one) => [one.threshold, one[name]]), isDashed: name === "recall" }))}
          x="number"
          xRange={[0, 1]}
          mark={{ x: row.threshold, label: format.decimal(row.threshold, 2) }}
          limit={null}
          atLeast={1}
          height={200}
          formatValue={(value) => format.decimal(value, 3)}
          formatX={(value) => format.decimal(value, 2)}
        />
      </div>
    </Panel>
  );
}
