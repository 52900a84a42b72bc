import { Tag } from "antd";
import { useTranslation } from "react-i18next";
import type { DeliveryView, WebhookView } from "@/api/types";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";

const tones: Record<DeliveryView["state"], BadgeTone> = { waiting: "waiting", delivered: "completed", failed: "failed" };

export function DeliveryBadge({ state }: { state: DeliveryView["state"] }) {
  const { t } = useTranslation("webhooks");
  return <StateBadge tone={tones[state]} text={t(`delivery.${state}`)} />;
}

export function WebhookBadge({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation("webhooks");
  return webhook.enabled ? <StateBadge tone="completed" text={t("state.on")} /> : <StateBadge tone="stopped" text={t("state.off")} />;
}

export function EventTags({ events }: { events: string[] }) {
  return (
    <>
      {events.map((event) => (
        <Tag key={event}>{event}</Tag>
      ))}
    </>
  );
}
