import { Spin } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./States.module.css";

const PATIENCE_MS = 300;

/** Shown where something is on its way; not at all when it comes at once. */
export function Loading() {
  const { t } = useTranslation();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className={styles.state} role="status" aria-label={t("loading")}>
      {isLate && <Spin />}
    </div>
  );
}
