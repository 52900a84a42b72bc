/** How sure the model was, as a figure; those to look at first stand out. */
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { levelOf } from "./certainty";
import styles from "./Auto.module.css";

export function Certainty({ value }: { value: number | null }) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  if (value === null) return null;
  const text = format.percent(Math.round(value * 100) / 100);
  return (
    <span className={styles.certainty} data-level={levelOf(value)} title={t("certainty", { value: text })}>
      <span className="tm-hidden">{t("certainty", { value: "" })}</span>
      {text}
    </span>
  );
}
