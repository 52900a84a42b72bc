import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { WebhookView } from "@/api/types";
import { projectPath } from "@/features/projects/current-project";

export const webhooksKey = (project: string) => ["webhooks", project] as const;

export const webhookQuery = (project: string, webhook: string) =>
  queryOptions({
    queryKey: [...webhooksKey(project), "one", webhook],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}/webhooks/{webhook}", { params: { path: { project, webhook } } })),
  });

export function webhookPath(project: string, webhook: string): string {
  return projectPath(project, "webhooks", webhook);
}

export const deleteWebhook = (project: string, webhook: WebhookView) =>
  unwrap(api.DELETE("/api/v1/projects/{project}/webhooks/{webhook}", { params: { path: { project, webhook: webhook.id } } }));

export const setEnabled = (project: string, webhook: WebhookView, enabled: boolean) =>
  unwrap(api.PATCH("/api/v1/projects/{project}/webhooks/{webhook}", { params: { path: { project, webhook: webhook.id } }, body: { enabled } }));

export const sendTest = (project: string, webhook: WebhookView) =>
  unwrap(api.POST("/api/v1/projects/{project}/webhooks/{webhook}/test", { params: { path: { project, webhook: webhook.id } } }));
