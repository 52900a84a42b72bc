import { useQuery } from "@tanstack/react-query";
import { Tag } from "antd";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { ServiceLineage } from "@/features/lineage/ServiceLineage";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { DescriptionEdit } from "@/ui/DescriptionEdit";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { AlertsBanner } from "./AlertsBanner";
import { updateService } from "./api";
import { EventsTab } from "./EventsTab";
import { KeysTab } from "./KeysTab";
import { MetricsTab } from "./metrics/MetricsTab";
import { OverviewTab } from "./overview/OverviewTab";
import { serviceQuery, useRefreshServices } from "./queries";
import { ReplicasTab } from "./ReplicasTab";
import { RulesTab } from "./RulesTab";
import { useServiceActions } from "./service-actions";
import { ServiceBadge } from "./ServiceBadge";
import { SettingsTab } from "./SettingsTab";
import { ShadowTab } from "./ShadowTab";
import { TestTab } from "./trying/TestTab";
import type { ServiceView } from "./types";

export default function ServicePage() {
  const { t } = useTranslation(["services", "common", "workloads", "assets"]);
  const format = useFormat();
  const project = useProjectName();
  const { service: name = "" } = useParams();
  const of = { project, service: name };
  const canWrite = useProjectPermission(project, "service.write");
  const refresh = useRefreshServices(project);
  const actionsOf = useServiceActions(project);
  return (
    <ThingPage<ServiceView>
      query={useQuery(serviceQuery(of))}
      render={(service) => ({
        name: service.name,
        id: service.id,
        badge: (
          <>
            <ServiceBadge of={service} />
            {service.open_alerts > 0 && <Tag color="warning">{t("alerts.open", { count: service.open_alerts })}</Tag>}
          </>
        ),
        facts: (
          <>
            <span>{t("readyOf", { ready: format.number(service.ready), wanted: format.number(service.wanted) })}</span>
            <span>{t("createdBy", { name: service.created_by })}</span>
            <RelativeTime at={service.created_at} />
          </>
        ),
        description: (
          <DescriptionEdit
            key={service.id}
            text={service.description}
            canEdit={canWrite}
            onSave={async (description) => {
              await updateService(of, { description });
              await refresh();
            }}
          />
        ),
        actions: <ActionButtons actions={actionsOf(service)} />,
        banner: <AlertsBanner of={of} service={service} />,
        tabs: [
          { key: "overview", label: t("common:tab.overview"), content: <OverviewTab of={of} service={service} /> },
          { key: "test", label: t("tab.test"), content: <TestTab of={of} service={service} /> },
          { key: "metrics", label: t("tab.metrics"), content: <MetricsTab of={of} service={service} /> },
          { key: "replicas", label: t("tab.replicas"), content: <ReplicasTab of={of} /> },
          { key: "keys", label: t("tab.keys"), content: <KeysTab of={of} service={service} /> },
          { key: "rules", label: t("tab.rules"), content: <RulesTab of={of} service={service} /> },
          { key: "shadow", label: t("tab.shadow"), content: <ShadowTab of={of} service={service} /> },
          { key: "events", label: t("workloads:tab.events"), content: <EventsTab of={of} /> },
          { key: "lineage", label: t("assets:tab.lineage"), content: <ServiceLineage project={project} service={service.name} deployment={[service.production?.number, service.canary?.number].join(" ")} /> },
          { key: "settings", label: t("common:tab.settings"), content: <SettingsTab of={of} service={service} /> },
        ],
      })}
    />
  );
}
