import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { CopyText } from "@/ui/CopyText";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import type { ServiceRef } from "../api";
import { serviceEventsQuery } from "../queries";
import type { ServiceView } from "../types";
import { SnippetsPanel } from "./SnippetsPanel";
import { Tracks } from "./Tracks";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../Services.module.css";

const EVENTS_SHOWN = 6;

export function OverviewTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  return (
    <>
      <AddressPanel service={service} />
      <Tracks of={of} service={service} />
      <SnippetsPanel of={of} needsKey={service.access === "key"} />
      <LastEvents of={of} />
    </>
  );
}

function AddressPanel({ service }: { service: ServiceView }) {
  const { t } = useTranslation("services");
  const metadata = Object.entries(service.grpc.metadata).map(([name, value]) => `${name}: ${value}`);
  return (
    <Panel title={t("address")}>
      <Facts
        facts={[
          { key: "http", label: t("addressHttp"), value: <CopyText text={service.url} label={t("copyAddress")} /> },
          { key: "grpc", label: t("addressGrpc"), value: <CopyText text={service.grpc.address} label={t("copyAddress")} /> },
          ...(metadata.length > 0 ? [{ key: "metadata", label: t("grpcMetadata"), value: <CopyText text={metadata.join("; ")} /> }] : []),
          {
            key: "access",
            label: t("field.access"),
            value: (
              <span className={surfaces.line}>
                {t(`access.${service.access}`)}
                {service.access === "key" && <Link to="?tab=keys">{t("keys.make")}</Link>}
              </span>
            ),
          },
        ]}
      />
    </Panel>
  );
}

/** The newest of what happened; all of it is on a tab of its own. */
function LastEvents({ of }: { of: ServiceRef }) {
  const { t } = useTranslation("services");
  const events = useQuery(serviceEventsQuery(of, EVENTS_SHOWN));
  const items = events.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={t("events.last")} actions={<Link to="?tab=events">{t("events.all")}</Link>}>
      <ul className={surfaces.rows}>
        {items.map((event) => (
          <li key={event.id}>
            <span className={styles.grow}>{event.message}</span>
            <span className="tm-muted">
              <RelativeTime at={event.at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
