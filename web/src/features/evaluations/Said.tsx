import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { labelCounts } from "./examples";
import type { Example, NamedAnnotation } from "./result";
import styles from "./Examples.module.css";

const TEXTS = 4;

/** What is true of an item and what the model said, in words. */
export function Said({ example }: { example: Example }) {
  const { t } = useTranslation("evaluations");
  const words = useWords();
  return (
    <dl className={styles.said}>
      <dt>{t("worst.truth")}</dt>
      <dd>{words(example.truth)}</dd>
      <dt>{t("worst.predicted")}</dt>
      <dd>{words(example.predicted)}</dd>
    </dl>
  );
}

function useWords(): (annotations: NamedAnnotation[]) => string {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  return (annotations) => {
    const texts = annotations.flatMap((one) => (typeof one.text === "string" && one.text ? [one.text] : []));
    if (texts.length > 0) return texts.length > TEXTS ? `${texts.slice(0, TEXTS).join(" · ")} …` : texts.join(" · ");
    const values = annotations.flatMap((one) => (typeof one.value === "number" ? [format.compact(one.value)] : []));
    if (values.length > 0) return format.list(values);
    const labels = labelCounts(annotations).map(({ label, count, score }) => {
      const name = count > 1 ? t("worst.times", { label, count }) : label;
      return score === null ? name : `${name} (${format.percent(score)})`;
    });
    return labels.length === 0 ? t("worst.nothing") : labels.join(" · ");
  };
}
