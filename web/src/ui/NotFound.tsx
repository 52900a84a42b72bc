import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import styles from "./States.module.css";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <div className={styles.state}>
      <p className={styles.code} aria-hidden>
        404
      </p>
      <h1 className={styles.title}>{t("notFound.title")}</h1>
      <p className={styles.text}>{t("notFound.text")}</p>
      <Link to="/">
        <Button type="primary">{t("notFound.home")}</Button>
      </Link>
    </div>
  );
}
