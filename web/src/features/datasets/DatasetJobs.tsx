/** Versions being made or published and many items being changed: shown where their result will appear. */
import { Button } from "antd";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { isUnfinished, useCancelJob, useJobs } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import { useNow } from "@/lib/tick";
import { datasetPath } from "./addresses";
import { useDatasetRefresh } from "./queries";
import type { DatasetRef } from "./types";
import styles from "./Datasets.module.css";

const KINDS = new Set(["dataset_version", "dataset_publish", "dataset_items", "dataset_suggestions"]);
/** How long a failure is told here; the background work list has it for longer. */
const TOLD_MS = 600_000;

export function DatasetJobs({ dataset }: { dataset: DatasetRef }) {
  const { t } = useTranslation();
  const refresh = useDatasetRefresh();
  const cancel = useCancelJob();
  const now = useNow();
  const home = `${datasetPath(dataset)}/`;
  const jobs = (useJobs().data?.items ?? []).filter((job) => KINDS.has(job.kind) && job.link?.startsWith(home));
  const finished = jobs
    .filter((job) => !isUnfinished(job))
    .map((job) => job.id)
    .join(" ");
  const reread = useEffectEvent(() => void refresh.dataset(dataset));
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
