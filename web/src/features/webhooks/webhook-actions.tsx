import { DeleteOutlined, EditOutlined, PoweroffOutlined, SendOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { WebhookView } from "@/api/types";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { WebhookForm } from "./WebhookForm";
import { deleteWebhook, sendTest, setEnabled, webhooksKey } from "./webhooks";

interface Options {
  onDeleted?: () => void;
  onSaved?: (webhook: WebhookView) => void;
}

export function useWebhookActions(project: string, { onDeleted, onSaved }: Options = {}): { actionsOf: (webhook: WebhookView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["webhooks", "common"]);
  const canWrite = useProjectPermission(project, "webhook.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [edited, setEdited] = useState<WebhookView | null>(null);

  const changed = async (text: string) => {
    await client.invalidateQueries({ queryKey: webhooksKey(project) });
    notify.done(text);
  };
  const actionsOf = (webhook: WebhookView): RowAction[] =>
    canWrite
      ? [
          { key: "test", label: t("test"), icon: <SendOutlined aria-hidden />, onClick: () => void sendTest(project, webhook).then(() => changed(t("testSent")), notify.failed) },
          { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, onClick: () => setEdited(webhook) },
          {
            key: "switch",
            label: webhook.enabled ? t("pause") : t("resume"),
            icon: <PoweroffOutlined aria-hidden />,
            onClick: () => void setEnabled(project, webhook, !webhook.enabled).then(() => changed(t("common:saved")), notify.failed),
          },
          {
            key: "delete",
            label: t("common:action.delete"),
            icon: <DeleteOutlined aria-hidden />,
            isDanger: true,
            onClick: () =>
              confirm({
                title: t("deleteTitle", { name: webhook.name }),
                text: t("deleteText"),
                okText: t("common:action.delete"),
                onConfirm: async () => {
                  await deleteWebhook(project, webhook);
                  onDeleted?.();
                  await changed(t("deleted", { name: webhook.name }));
                },
              }),
          },
        ]
      : [];
  const dialog = edited && (
    <WebhookForm
      project={project}
      webhook={edited}
      onClose={() => setEdited(null)}
      onSaved={(webhook) => {
        onSaved?.(webhook);
        void changed(t("common:saved"));
      }}
    />
  );
  return { actionsOf, dialog };
}
