/** Reading workloads; the server pushes every change, so nothing is asked for twice without need. */
import { queryOptions } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { takeNews } from "@/lib/news";
import { getWaiting, getWorkload, listEvents } from "./api";
import type { WorkloadRef, WorkloadView } from "./types";

export const workloadsKey = ["workloads"] as const;
const oneKey = (id: string) => [...workloadsKey, "one", id] as const;

export const workloadQuery = (ref: WorkloadRef) => queryOptions({ queryKey: [...oneKey(ref.id), "view"], queryFn: () => getWorkload(ref) });

export const eventsQuery = (ref: WorkloadRef) => queryOptions({ queryKey: [...oneKey(ref.id), "events"], queryFn: () => listEvents(ref) });

export const waitingQuery = (ref: WorkloadRef) =>
  queryOptions({ queryKey: [...oneKey(ref.id), "waiting"], queryFn: () => getWaiting(ref), refetchInterval: 5_000 });

/** A workload that the server says has changed. */
export function takeWorkload(client: QueryClient, workload: WorkloadView): void {
  takeNews<WorkloadView>(client, { queryKey: workloadQuery({ project: "", id: workload.id }).queryKey }, () => workload);
  void client.invalidateQueries({ queryKey: [...oneKey(workload.id), "events"] });
  void client.invalidateQueries({ queryKey: [...oneKey(workload.id), "waiting"] });
  soon(client);
}

const LISTS_MS = 1_000;
let timer: number | undefined;

/** Lists are read again at most once a second, however many workloads move. */
function soon(client: QueryClient): void {
  if (timer !== undefined) return;
  timer = window.setTimeout(() => {
    timer = undefined;
    void client.invalidateQueries({ queryKey: [...workloadsKey, "lists"] });
  }, LISTS_MS);
}
