/** Imports from Git under way into a version, shown where their files will appear. */
import { Button } from "antd";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { isUnfinished, useCancelJob, useJobs } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import type { JobView } from "@/api/types";
import type { VersionRef } from "@/features/files/version-ref";
import { versionPath } from "./addresses";
import { useRefresh } from "./queries";
import styles from "./Assets.module.css";

export function GitJobs({ versionRef }: { versionRef: VersionRef }) {
  const { t } = useTranslation(["assets", "common"]);
  const cancel = useCancelJob();
  const jobs = useGitJobs(versionRef);
  return jobs.map((job) => (
    <div key={job.id} className={styles.bar} role="status">
      <JobBadge state={job.state} />
      <div className={styles.barMain} style={{ flexDirection: "column", alignItems: "stretch" }}>
        <span>{job.name}</span>
        <JobProgress job={job} />
      </div>
      {isUnfinished(job) && (
        <Button size="small" loading={cancel.isPending} onClick={() => cancel.mutate(job)}>
          {t("common:action.cancel")}
        </Button>
      )}
    </div>
  ));
}

/** Those under way, and those that failed since this page was opened. Files are read again when one ends. */
function useGitJobs(ref: VersionRef): JobView[] {
  const refresh = useRefresh();
  const [openedAt] = useState(() => new Date().toISOString());
  const link = versionPath(ref);
  const mine = (useJobs().data?.items ?? []).filter((job) => job.kind === "git_import" && job.link === link);
  const finished = mine.filter((job) => job.state === "completed").map((job) => job.id);
  const showNewFiles = useEffectEvent(() => void refresh.files(ref));
  const key = finished.join(" ");
  useEffect(() => {
    if (key !== "") showNewFiles();
  }, [key]);
  return mine.filter((job) => isUnfinished(job) || (job.state === "failed" && (job.finished_at ?? "") > openedAt));
}
