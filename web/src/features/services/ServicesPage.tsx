import { CloudUploadOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { shellQuote } from "@/lib/shell";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listServices } from "./api";
import { deployPath, servicePath, servicesKey } from "./queries";
import { useServiceActions } from "./service-actions";
import { ServiceBadge } from "./ServiceBadge";
import { STATES } from "./states";
import type { ServiceView, TrackView, Traffic } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

/** The server takes figures over every five seconds, in steps of ten. */
const FIGURES_MS = 10_000;
/** Figures of a minute are not more exact. */
const DIGITS = 2;

export default function ServicesPage() {
  const { t } = useTranslation(["services", "assets", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "service.write");
  const actionsOf = useServiceActions(project);
  const deploy = canWrite && (
    <Link to={deployPath(project)}>
      <Button type="primary" icon={<CloudUploadOutlined aria-hidden />} tabIndex={-1}>
        {t("deploy.action")}
      </Button>
    </Link>
  );
  return (
    <ListPage<ServiceView>
      listKey="services"
      queryKey={servicesKey(project)}
      load={(query) => listServices(project, query)}
      title={t("title")}
      description={t("text")}
      columns={useColumns(project)}
      keyOf={(service) => service.id}
      nameOf={(service) => service.name}
      filters={[{ kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`state.${state}`) })) }]}
      primaryAction={deploy}
      rowActions={actionsOf}
      refreshMs={FIGURES_MS}
      empty={{
        title: t("empty"),
        text: t("emptyText"),
        action: (
          <>
            {deploy}
            {deploy && <CommandLine text={`tidemill service deploy NAME --model MODEL@1 --project ${shellQuote(project)}`} label={t("assets:empty.command")} />}
          </>
        ),
      }}
    />
  );
}

function useColumns(project: string): ListColumn<ServiceView>[] {
  const { t } = useTranslation(["services", "common"]);
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (service) => (
        <>
          <Link to={servicePath({ project, service: service.name })}>{service.name}</Link>
          {service.description && <div className={`${surfaces.small} ${styles.small}`}>{service.description}</div>}
        </>
      ),
    },
    {
      key: "state",
      title: t("common:field.state"),
      render: (service) => (
        <>
          <span className={surfaces.line}>
            <ServiceBadge of={service} />
            {service.open_alerts > 0 && <Tag color="warning">{t("alerts.open", { count: service.open_alerts })}</Tag>}
          </span>
          {(service.state === "failed" || service.waits_for !== null) && service.reason && <div className={`${surfaces.small} ${styles.small}`}>{service.reason}</div>}
        </>
      ),
    },
    { key: "production", title: t("role.production"), render: (service) => <TrackLine track={service.production} /> },
    { key: "canary", title: t("role.canary"), render: (service) => <TrackLine track={service.canary} hasShare /> },
    { key: "traffic", title: t("traffic.title"), align: "right", render: (service) => <TrafficLine traffic={service.traffic} /> },
    { key: "url", title: t("address"), render: (service) => <div className={styles.inList}><CopyText text={service.url} label={t("copyAddress")} /></div> },
    { key: "access", title: t("field.access"), isHidden: true, render: (service) => t(`access.${service.access}`) },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (service) => service.created_by },
    { key: "updated", title: t("common:field.updatedAt"), sort: "updated_at", render: (service) => <RelativeTime at={service.updated_at} /> },
  ];
}

/** Requests a second of the last minute, and how many of them failed. */
function TrafficLine({ traffic: { requests_per_s: rate, errors, error_rate: share } }: { traffic: Traffic }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  return (
    <div title={t("traffic.lately")}>
      <div>{rate === 0 ? <span className="tm-muted">{t("traffic.none")}</span> : t("perSecond", { rate: format.compact(Number(rate.toPrecision(DIGITS))) })}</div>
      {errors > 0 && <div className={styles.failing}>{t("traffic.errors", { count: errors, errors: format.number(errors), rate: format.percent(share ?? 1) })}</div>}
    </div>
  );
}

/** What runs on a track, how much of it is there, and how much of the traffic it gets. */
function TrackLine({ track, hasShare = false }: { track: TrackView | null; hasShare?: boolean }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  if (track === null) return <span className="tm-muted">–</span>;
  return (
    <div className={styles.inList}>
      <div>{track.package}</div>
      <div className={`${surfaces.small} ${styles.small}`}>
        {t("readyOf", { ready: format.number(track.ready), wanted: format.number(track.wanted) })}
        {hasShare && ` · ${format.percent(track.share / 100)}`}
      </div>
    </div>
  );
}
