import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import type { JobView } from "@/api/types";
import { useFormat } from "@/lib/format";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import { isUnfinished } from "./jobs";
import type { JobState } from "./jobs";

const tones: Record<JobState, BadgeTone> = { waiting: "waiting", running: "running", completed: "completed", failed: "failed", cancelled: "stopped" };

export function JobBadge({ state }: { state: JobState }) {
  const { t } = useTranslation("activity");
  return <StateBadge tone={tones[state]} text={t(`state.${state}`)} />;
}

/** How far a job is: a bar and a figure while it runs, the reason when it failed. */
export function JobProgress({ job }: { job: JobView }) {
  const { t } = useTranslation("activity");
  const format = useFormat();
  if (job.state === "failed") return <small style={{ color: "var(--tm-error)" }}>{job.error?.message ?? job.message}</small>;
  if (job.cancel_requested && isUnfinished(job)) return <small className="tm-muted">{t("cancelling")}</small>;
  if (job.state !== "running") return job.message ? <small className="tm-muted">{job.message}</small> : null;
  const figures = job.total ? t("figures", { done: figure(job, job.done), total: figure(job, job.total) }) : job.message;
  return (
    <>
      <Progress size="small" percent={Math.floor((job.progress ?? 0) * 100)} status="active" aria-label={job.name} />
      {figures && <small className="tm-muted">{figures}</small>}
    </>
  );

  function figure(of: JobView, amount: number): string {
    return of.unit === "bytes" ? format.bytes(amount) : format.number(amount);
  }
}
