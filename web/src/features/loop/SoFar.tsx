/** Where one stands, in figures. */
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isLowerBetter, useMetricText, useMetricValue } from "@/features/models/words";
import { useFormat } from "@/lib/format";
import { gainOf } from "./curve";
import { modelPath } from "./references";
import type { Loop } from "./types";
import styles from "./Loop.module.css";

export function SoFar({ loop, project }: { loop: Loop; project: string }) {
  const { t } = useTranslation("loop");
  const format = useFormat();
  const { items, labelled, suggested, unlabelled } = loop;
  const other = Math.max(0, items - labelled - suggested - unlabelled);
  const share = (count: number) => `${(100 * count) / Math.max(1, items)}%`;
  return (
    <div className={styles.figures}>
      <div className={styles.figure}>
        <span>{t("labelled")}</span>
        <strong>
          {format.number(labelled)} <small>{t("of", { total: format.number(items) })}</small>
        </strong>
        <div className={styles.meter} role="img" aria-label={t("meter", { labelled: format.number(labelled), suggested: format.number(suggested), unlabelled: format.number(unlabelled) })}>
          <i data-part="labelled" style={{ width: share(labelled) }} />
          <i data-part="suggested" style={{ width: share(suggested) }} />
          <i data-part="other" style={{ width: share(other) }} />
        </div>
      </div>
      <div className={styles.figure}>
        <span>{t("suggested")}</span>
        <strong>{format.number(suggested)}</strong>
        <small>{t("unlabelledToo", { number: format.number(unlabelled) })}</small>
      </div>
      <Quality loop={loop} project={project} />
    </div>
  );
}

function Quality({ loop, project }: { loop: Loop; project: string }) {
  const { t } = useTranslation("loop");
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const format = useFormat();
  const { best, model, primary, curve } = loop;
  const gain = gainOf(curve);
  const isBetter = gain !== null && (isLowerBetter(primary ?? "") ? gain < 0 : gain > 0);
  return (
    <div className={styles.figure}>
      <span>{primary ? t("quality", { metric: metricText(primary) }) : t("qualityPlain")}</span>
      <strong>{best && primary ? metricValue(primary, best.value) : "–"}</strong>
      <small>
        {model ? <Link to={modelPath(project, model)}>{model}</Link> : t("noModel")}
        {gain !== null && Math.abs(gain) >= 0.0005 && (
          <span className={styles.gain} data-better={isBetter || undefined}>
            {" "}
            {t(gain > 0 ? "gained" : "lost", { value: format.decimal(Math.abs(gain) * 100, 1) })}
          </span>
        )}
      </small>
    </div>
  );
}
