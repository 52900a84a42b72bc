import { ApiOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const webhookPages: FeaturePage[] = [
  {
    scope: "project",
    path: "webhooks",
    permission: "webhook.read",
    nav: { label: "page.webhooks", icon: <ApiOutlined aria-hidden /> },
    crumb: { label: "page.webhooks" },
    load: () => import("./WebhooksPage"),
  },
  {
    scope: "project",
    path: "webhooks/:webhook",
    permission: "webhook.read",
    crumb: { param: "webhook", isId: true },
    load: () => import("./WebhookPage"),
  },
];
