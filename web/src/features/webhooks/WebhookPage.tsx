import { RedoOutlined } from "@ant-design/icons";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { api, unwrap } from "@/api/client";
import type { DeliveryView, WebhookView } from "@/api/types";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { Facts, Panel } from "@/ui/Facts";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { useWebhookActions } from "./webhook-actions";
import { DeliveryBadge, EventTags, WebhookBadge } from "./WebhookBadges";
import { webhookPath, webhookQuery, webhooksKey } from "./webhooks";

export default function WebhookPage() {
  const { t } = useTranslation(["webhooks", "common"]);
  const project = useProjectName();
  const { webhook: name = "" } = useParams();
  const navigate = useNavigate();
  const { actionsOf, dialog } = useWebhookActions(project, {
    onDeleted: () => navigate(projectPath(project, "webhooks")),
    onSaved: (webhook) => navigate(webhookPath(project, webhook.name), { replace: true }),
  });
  return (
    <>
      <ThingPage<WebhookView>
        query={useQuery(webhookQuery(project, name))}
        render={(webhook) => ({
          name: webhook.name,
          id: webhook.id,
          badge: <WebhookBadge webhook={webhook} />,
          actions: <ActionButtons actions={actionsOf(webhook)} />,
          tabs: [
            { key: "deliveries", label: t("deliveries"), content: <Deliveries project={project} webhook={webhook} /> },
            { key: "settings", label: t("common:tab.settings"), content: <Settings webhook={webhook} /> },
          ],
        })}
      />
      {dialog}
    </>
  );
}

function Settings({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation(["webhooks", "common"]);
  return (
    <Panel>
      <Facts
        facts={[
          { key: "url", label: t("url"), value: <code>{webhook.url}</code> },
          { key: "events", label: t("events"), value: <EventTags events={webhook.events} /> },
          { key: "secret", label: t("secret"), value: webhook.has_secret ? t("secretSet") : t("secretNone") },
          { key: "created", label: t("common:field.createdAt"), value: <RelativeTime at={webhook.created_at} /> },
          { key: "by", label: t("common:field.createdBy"), value: webhook.created_by },
        ]}
      />
    </Panel>
  );
}

function Deliveries({ project, webhook }: { project: string; webhook: WebhookView }) {
  const { t } = useTranslation(["webhooks", "common"]);
  const format = useFormat();
  const client = useQueryClient();
  const notify = useNotify();
  const canWrite = useProjectPermission(project, "webhook.write");
  const path = { project, webhook: webhook.id };

  const retry = async (delivery: DeliveryView) => {
    try {
      await unwrap(api.POST("/api/v1/projects/{project}/webhooks/{webhook}/deliveries/{delivery}/retry", { params: { path: { ...path, delivery: delivery.id } } }));
      await client.invalidateQueries({ queryKey: webhooksKey(project) });
      notify.done(t("retried"));
    } catch (error) {
      notify.failed(error);
    }
  };
  const columns: ListColumn<DeliveryView>[] = [
    { key: "event", title: t("event"), render: (delivery) => <code>{delivery.event}</code> },
    { key: "state", title: t("common:field.state"), render: (delivery) => <DeliveryBadge state={delivery.state} /> },
    { key: "answer", title: t("answer"), render: (delivery) => delivery.error || (delivery.status_code ? t("http", { code: delivery.status_code }) : "–") },
    { key: "attempts", title: t("attempts"), align: "right", render: (delivery) => format.number(delivery.attempts) },
    { key: "created", title: t("when"), render: (delivery) => <RelativeTime at={delivery.created_at} /> },
  ];
  return (
    <ListPage<DeliveryView>
      listKey="deliveries"
      queryKey={[...webhooksKey(project), "deliveries", webhook.id]}
      load={({ limit, cursor }) => unwrap(api.GET("/api/v1/projects/{project}/webhooks/{webhook}/deliveries", { params: { path, query: { limit, cursor } } }))}
      columns={columns}
      keyOf={(delivery) => delivery.id}
      nameOf={(delivery) => delivery.event}
      rowActions={canWrite ? (delivery) => [{ key: "retry", label: t("retry"), icon: <RedoOutlined aria-hidden />, onClick: () => void retry(delivery) }] : undefined}
      isSearchable={false}
      empty={{ title: t("noDeliveries"), text: t("noDeliveriesText") }}
    />
  );
}
