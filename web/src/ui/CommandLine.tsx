import { useTranslation } from "react-i18next";
import { CopyButton } from "./CopyText";
import styles from "./Page.module.css";

/** A command to paste into a terminal. */
export function CommandLine({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.commandLine}>
      {label && <div className="tm-muted">{label}</div>}
      <pre className={styles.command}>
        {text}
        <span className={styles.commandCopy}>
          <CopyButton text={text} label={t("make.copyCommand")} />
        </span>
      </pre>
    </div>
  );
}
