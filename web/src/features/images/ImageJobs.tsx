/** Archives being taken in and images on their way from other registries; the list is read again when one ends. */
import { Button } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { isUnfinished, useCancelJob, useJobs } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import { useNow } from "@/lib/tick";
import { imagesKey } from "./queries";
import styles from "./Images.module.css";

const KINDS = new Set(["image_import", "image_pull"]);
/** How long a failure is told here; the background work list has it for longer. */
const TOLD_MS = 600_000;

export function ImageJobs({ project }: { project: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const cancel = useCancelJob();
  const now = useNow();
  const jobs = (useJobs().data?.items ?? []).filter((job) => KINDS.has(job.kind) && job.project === project);
  const finished = jobs
    .filter((job) => job.state === "completed")
    .map((job) => job.id)
    .join(" ");
  const reread = useEffectEvent(() => void client.invalidateQueries({ queryKey: imagesKey(project) }));
  useEffect(() => {
    if (finished !== "") reread();
  }, [finished]);
  const shown = jobs.filter((job) => isUnfinished(job) || (job.state === "failed" && now - Date.parse(job.finished_at ?? job.created_at) < TOLD_MS));
  return shown.map((job) => (
    <div key={job.id} className={styles.job} role="status">
      <JobBadge state={job.state} />
      <div className={styles.jobBody}>
        <span>{job.name}</span>
        <JobProgress job={job} />
      </div>
      {isUnfinished(job) && (
        <Button size="small" loading={cancel.isPending} onClick={() => cancel.mutate(job)}>
          {t("action.cancel")}
        </Button>
      )}
    </div>
  ));
}
