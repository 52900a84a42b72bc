import { useTranslation } from "react-i18next";
import styles from "./Examples.module.css";

/** How it is drawn, beside what it is. */
export function Key({ kind }: { kind: "truth" | "predicted" }) {
  const { t } = useTranslation("evaluations");
  return (
    <span className={styles.key}>
      <svg viewBox="0 0 28 10" aria-hidden="true">
        <path className={styles[kind]} d="M1 5h26" />
      </svg>
      {t(`worst.${kind}`)}
    </span>
  );
}
