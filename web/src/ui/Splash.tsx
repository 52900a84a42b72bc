import { useTranslation } from "react-i18next";
import { Mark } from "./Mark";
import styles from "./Splash.module.css";

/** Shown while the application itself is still on its way; only after a moment, so that a quick start does not flicker. */
export function Splash() {
  const { t } = useTranslation();
  return (
    <div className={styles.splash} role="status" aria-label={t("loading")}>
      <Mark size={48} />
    </div>
  );
}
