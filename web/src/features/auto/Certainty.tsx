/** How sure the model was, as a figure; those to look at first stand out. */
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { levelOf } from "./certainty";
import styles from "./Auto.module.css";

interface CertaintyProps {
  value: number | null;
  /** Where what is around it has a name of its own, which says it too. */
  isSilent?: boolean;
}

export function Certainty({ value, isSilent = false }: CertaintyProps) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  if (value === null) return null;
  const text = format.percent(Math.round(value * 100) / 100);
  if (isSilent) return <span className={styles.certainty} data-level={levelOf(value)} data-text={text} title={t("certainty", { value: text })} />;
  return (
    <span className={styles.certainty} data-level={levelOf(value)} title={t("certainty", { value: text })}>
      <span className="tm-hidden">{t("certainty", { value: "" })}</span>
      {text}
    </span>
  );
}
