/** Keeps background work and notifications current: pushed by the server, asked for every few seconds where that fails. */
import { useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { JobView, NotificationView, Page } from "@/api/types";
import type { VersionNews, WorkNews } from "@/features/datasets/types";
import { takeVersion, takeWork } from "@/features/datasets/works/news";
import { evaluationsKey, takeEvaluation } from "@/features/evaluations/queries";
import type { EvaluationView } from "@/features/evaluations/types";
import { inferenceKey, takeInferenceRun } from "@/features/inference/queries";
import type { InferenceRun } from "@/features/inference/types";
import { servingChanged } from "@/features/services/news";
import { takeRun, trainingKey } from "@/features/training/queries";
import type { RunView } from "@/features/training/types";
import { takeWorkload, workloadsKey } from "@/features/workloads/queries";
import type { WorkloadView } from "@/features/workloads/types";
import { catchUp, takeNews } from "@/lib/news";

export const jobsKey = ["jobs", "mine"] as const;
export const notificationsKey = ["notifications"] as const;

/** What is read and then only pushed; datasets are large, and read again only when the server was away. */
const LIVE_KEYS = [jobsKey, notificationsKey, workloadsKey, trainingKey, evaluationsKey, inferenceKey] as const;
const RECONNECT_MS = 5_000;
const POLL_MS = 5_000;
const listeners = new Set<() => void>();
const notificationListeners = new Set<(notification: NotificationView) => void>();
let isLive = false;

/** How often to ask: never while the server pushes. */
export function usePollInterval(): number | false {
  return useSyncExternalStore(subscribe, () => isLive) ? false : POLL_MS;
}

/** Called for each notification the moment it arrives. */
export function onNotification(listener: (notification: NotificationView) => void): () => void {
  notificationListeners.add(listener);
  return () => notificationListeners.delete(listener);
}

/** Mounted once, by the frame. */
export function useLiveEvents(): void {
  const client = useQueryClient();
  useEffect(() => connect(client), [client]);
}

function connect(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: number | undefined;
  let wasOpen = false;
  const open = () => {
    source = new EventSource("/api/v1/me/events");
    source.onopen = () => setLive(true);
    source.addEventListener("hello", () => {
      catchUp(client, wasOpen ? [...LIVE_KEYS, ["datasets"]] : LIVE_KEYS);
      wasOpen = true;
    });
    source.addEventListener("job", (event: MessageEvent<string>) => takeJob(client, JSON.parse(event.data) as JobView));
    source.addEventListener("notification", (event: MessageEvent<string>) => takeNotification(client, JSON.parse(event.data) as NotificationView));
    source.addEventListener("workload", (event: MessageEvent<string>) => takeWorkload(client, JSON.parse(event.data) as WorkloadView));
    source.addEventListener("run", (event: MessageEvent<string>) => takeRun(client, JSON.parse(event.data) as RunView));
    source.addEventListener("evaluation", (event: MessageEvent<string>) => takeEvaluation(client, JSON.parse(event.data) as EvaluationView));
    source.addEventListener("inference_run", (event: MessageEvent<string>) => takeInferenceRun(client, JSON.parse(event.data) as InferenceRun));
    for (const kind of ["service", "service_alert", "package"]) source.addEventListener(kind, () => servingChanged(client));
    source.addEventListener("dataset_work", (event: MessageEvent<string>) => takeWork(client, JSON.parse(event.data) as WorkNews));
    source.addEventListener("dataset_version", (event: MessageEvent<string>) => takeVersion(client, JSON.parse(event.data) as VersionNews));
    source.onerror = () => {
      setLive(false);
      // The browser retries a dropped stream by itself, but not one that was refused (for example: session ended).
      if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, RECONNECT_MS);
    };
  };
  open();
  return () => {
    window.clearTimeout(timer);
    source?.close();
    setLive(false);
  };
}

function takeJob(client: QueryClient, job: JobView): void {
  takeNews<Page<JobView>>(client, { queryKey: jobsKey }, (page) => ({ ...page, items: replaced(page.items, job) }));
}

function takeNotification(client: QueryClient, notification: NotificationView): void {
  void client.invalidateQueries({ queryKey: notificationsKey });
  notificationListeners.forEach((listener) => listener(notification));
}

export function replaced(jobs: JobView[], job: JobView): JobView[] {
  const isKnown = jobs.some((other) => other.id === job.id);
  return isKnown ? jobs.map((other) => (other.id === job.id ? job : other)) : [job, ...jobs];
}

function setLive(next: boolean): void {
  if (next === isLive) return;
  isLive = next;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
