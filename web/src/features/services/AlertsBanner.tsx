import { useQuery } from "@tanstack/react-query";
import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { RelativeTime } from "@/ui/RelativeTime";
import type { ServiceRef } from "./api";
import { openAlertsQuery } from "./queries";
import type { ServiceView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

/** What is wrong now: why it does not serve, and which rules are broken. */
export function AlertsBanner({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const alerts = useQuery({ ...openAlertsQuery(of), enabled: service.open_alerts > 0 });
  const open = service.open_alerts > 0 ? (alerts.data?.items ?? []) : [];
  const isTold = service.state === "failed" || service.state === "degraded";
  return (
    <>
      {isTold && service.reason && <Alert className={styles.banner} type={service.state === "failed" ? "error" : "warning"} showIcon title={service.reason} description={<Link to="?tab=replicas">{t("alerts.replicas")}</Link>} />}
      {service.canary?.rolled_back_at && <Alert className={styles.banner} type="warning" showIcon title={t("rolledBack")} description={<Link to="?tab=events">{t("events.all")}</Link>} />}
      {open.map((alert) => (
        <Alert
          key={alert.id}
          className={styles.banner}
          type="warning"
          showIcon
          title={alert.text}
          description={
            <span className={surfaces.line}>
              <RelativeTime at={alert.opened_at} />
              <Link to="?tab=metrics">{t("tab.metrics")}</Link>
              <Link to="?tab=rules">{t("tab.rules")}</Link>
            </span>
          }
        />
      ))}
    </>
  );
}
