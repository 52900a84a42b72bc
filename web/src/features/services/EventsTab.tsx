import { useQuery } from "@tanstack/react-query";
import { Skeleton, Table, Timeline } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import type { ServiceRef } from "./api";
import { deploymentsQuery, serviceEventsQuery } from "./queries";
import type { DeploymentView } from "./types";

const SHOWN = 200;

/** What happened to the service, the newest first, and everything that was ever behind it. */
export function EventsTab({ of }: { of: ServiceRef }) {
  const { t } = useTranslation(["services", "workloads"]);
  const format = useFormat();
  const events = useQuery(serviceEventsQuery(of, SHOWN));
  if (events.isPending) return <Skeleton active />;
  if (events.isError) return <ErrorState error={events.error} onRetry={() => void events.refetch()} />;
  const { items } = events.data;
  return (
    <>
      {items.length === 0 && <EmptyState title={t("events.none")} />}
      {items.length > 0 && (
        <Panel>
          <Timeline
            items={items.map((event) => ({
              key: event.id,
              content: (
                <>
                  <div>{event.message}</div>
                  <div className="tm-muted">
                    {[format.dateTime(event.at), event.by === "system" ? t("workloads:events.bySystem") : t("workloads:events.by", { name: event.by })].join(" · ")}
                  </div>
                </>
              ),
            }))}
          />
        </Panel>
      )}
      <Deployments of={of} />
    </>
  );
}

function Deployments({ of }: { of: ServiceRef }) {
  const { t } = useTranslation(["services", "common", "training"]);
  const items = useQuery(deploymentsQuery(of)).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={t("deployments")}>
      <TableBox label={t("deployments")}>
        <Table<DeploymentView>
          size="small"
          rowKey="number"
          pagination={false}
          dataSource={items}
          columns={[
            { key: "number", title: t("deployment"), render: (_, one) => one.number },
            { key: "package", title: t("source.package"), render: (_, one) => one.package },
            { key: "models", title: t("field.models"), render: (_, one) => one.models.join(", ") || <span className="tm-muted">–</span> },
            { key: "role", title: t("deploymentRole"), render: (_, one) => (one.role ? t(`role.${one.role}`) : <span className="tm-muted">–</span>) },
            { key: "by", title: t("common:field.createdBy"), render: (_, one) => one.created_by },
            { key: "at", title: t("common:field.createdAt"), render: (_, one) => <RelativeTime at={one.created_at} /> },
          ]}
        />
      </TableBox>
    </Panel>
  );
}
