/** Precision against recall, a curve a class. */
import { Select } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Chart } from "@/ui/chart/Chart";
import { useAddress } from "@/ui/address";
import { useMetricText } from "@/features/models/words";
import type { ClassRow, Curve } from "./result";
import styles from "./Evaluations.module.css";

/** More curves than this cannot be told apart. */
const AT_FIRST = 8;

export function CurvesTab({ curves, classes }: { curves: Curve[]; classes: ClassRow[] }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const metricText = useMetricText();
  const [params, changeAddress] = useAddress();
  const wanted = params.getAll("curve");
  const support = new Map(classes.map((row) => [row.label, row.support ?? 0]));
  const largest = [...curves].sort((a, b) => (support.get(b.label) ?? 0) - (support.get(a.label) ?? 0)).slice(0, AT_FIRST).map((curve) => curve.label);
  const labels = wanted.length > 0 ? wanted : largest;
  const shown = curves.filter((curve) => labels.includes(curve.label));
  const ap = new Map(classes.map((row) => [row.label, row.values.ap_50 ?? row.values.ap]));
  const nameOf = (label: string) => {
    const area = ap.get(label);
    return area === undefined ? label : t("curves.withArea", { label, area: format.percent(area) });
  };
  return (
    <>
      <div className={styles.toolbar}>
        <Select className={styles.wideSelect} mode="multiple" maxTagCount="responsive" aria-label={t("curves.choose")} placeholder={t("curves.choose")} value={labels} options={curves.map(({ label }) => ({ value: label, label }))} onChange={(next) => changeAddress({ curve: next })} />
      </div>
      <Chart
        label={t("curves.title")}
        note={t("curves.axes", { x: metricText("recall"), y: metricText("precision") })}
        series={shown.map((curve) => ({ key: curve.label, name: nameOf(curve.label), points: curve.points.map(([recall, precision]) => [recall, precision]) }))}
        x="number"
        xRange={[0, 1]}
        limit={null}
        atLeast={1}
        height={380}
        formatValue={(value) => format.decimal(value, 3)}
        formatX={(value) => format.decimal(value, 2)}
      />
      <p className={styles.below}>{t("curves.text")}</p>
    </>
  );
}
