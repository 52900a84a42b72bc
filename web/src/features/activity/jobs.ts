/** Background work of the signed-in user. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { JobView } from "@/api/types";
import { jobsKey, replaced, usePollInterval } from "./live-events";

export type JobState = JobView["state"];

const SHOWN = 20;

export function isUnfinished(job: JobView): boolean {
  return job.state === "waiting" || job.state === "running";
}

/** My newest jobs, live. */
export function useJobs() {
  const refetchInterval = usePollInterval();
  return useQuery({
    queryKey: jobsKey,
    queryFn: () => unwrap(api.GET("/api/v1/me/jobs", { params: { query: { limit: SHOWN } } })),
    refetchInterval,
  });
}

/** Shows a job at once after an action answered with it (202). */
export function useTrackJob(): (job: JobView) => void {
  const client = useQueryClient();
  return (job) => {
    client.setQueryData<{ items: JobView[] }>(jobsKey, (page) => (page ? { ...page, items: replaced(page.items, job) } : page));
    void client.invalidateQueries({ queryKey: jobsKey });
  };
}

export function useCancelJob() {
  const track = useTrackJob();
  return useMutation({
    mutationFn: (job: JobView) => unwrap(api.POST("/api/v1/me/jobs/{job}/cancel", { params: { path: { job: job.id } } })),
    onSuccess: track,
  });
}
