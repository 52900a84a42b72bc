import { useTranslation } from "react-i18next";
import { isLowerBetter, useMetricText, useMetricValue } from "@/features/models/words";
import { Panel } from "@/ui/Facts";
import styles from "./Evaluations.module.css";

/** What was measured; the number that counts most first and largest. */
export function MetricsPanel({ metrics, primary }: { metrics: Record<string, number>; primary: string | null }) {
  const { t } = useTranslation("evaluations");
  const text = useMetricText();
  const value = useMetricValue();
  const names = Object.keys(metrics).sort((a, b) => Number(b === primary) - Number(a === primary));
  if (names.length === 0) return null;
  return (
    <Panel title={t("metrics")}>
      <dl className={styles.tiles}>
        {names.map((name) => (
          <div key={name} data-primary={name === primary || undefined}>
            <dt>
              {text(name)}
              {isLowerBetter(name) && <span title={t("lowerIsBetter")}> ↓</span>}
            </dt>
            <dd>{value(name, metrics[name])}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
