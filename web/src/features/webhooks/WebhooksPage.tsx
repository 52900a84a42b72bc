import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import type { WebhookView } from "@/api/types";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { useWebhookActions } from "./webhook-actions";
import { EventTags, WebhookBadge } from "./WebhookBadges";
import { WebhookForm } from "./WebhookForm";
import { webhookPath, webhooksKey } from "./webhooks";

export default function WebhooksPage() {
  const { t } = useTranslation(["webhooks", "common"]);
  const project = useProjectName();
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "webhook.write");
  const [isCreating, setCreating] = useState(false);
  const { actionsOf, dialog } = useWebhookActions(project);
  const columns: ListColumn<WebhookView>[] = [
    { key: "name", title: t("common:field.name"), sort: "name", render: (webhook) => <Link to={webhookPath(project, webhook.name)}>{webhook.name}</Link> },
    { key: "state", title: t("common:field.state"), render: (webhook) => <WebhookBadge webhook={webhook} /> },
    { key: "url", title: t("url"), render: (webhook) => <code>{webhook.url}</code> },
    { key: "events", title: t("events"), render: (webhook) => <EventTags events={webhook.events} /> },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (webhook) => <RelativeTime at={webhook.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (webhook) => webhook.created_by },
  ];
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<WebhookView>
        listKey="webhooks"
        queryKey={webhooksKey(project)}
        load={({ q, sort, limit, cursor }) => unwrap(api.GET("/api/v1/projects/{project}/webhooks", { params: { path: { project }, query: { q, sort, limit, cursor } } }))}
        title={t("title")}
        description={t("text")}
        columns={columns}
        keyOf={(webhook) => webhook.id}
        nameOf={(webhook) => webhook.name}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {isCreating && <WebhookForm project={project} onClose={() => setCreating(false)} onSaved={(webhook) => navigate(webhookPath(project, webhook.name))} />}
      {dialog}
    </>
  );
}
