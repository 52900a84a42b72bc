/** Imports from Git under way into a version, shown where their files will appear. */
import { Button } from "antd";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { isUnfinished, useCancelJob, useJobs } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import type { JobView } from "@/api/types";
import type { VersionRef } from "@/features/files/version-ref";
import { useNow } from "@/lib/tick";
import { versionPath } from "./addresses";
import { useRefresh } from "./queries";
import bar from "./VersionBar.module.css";

/** How long a failure is told on the version's page; the background work list has it for longer. */
const TOLD_MS = 600_000;

export function GitJobs({ versionRef }: { versionRef: VersionRef }) {
  const { t } = useTranslation(["assets", "common"]);
  const cancel = useCancelJob();
  const jobs = useGitJobs(versionRef);
  return jobs.map((job) => (
    <div key={job.id} className={bar.bar} role="status">
      <JobBadge state={job.state} />
      <div className={bar.main} style={{ flexDirection: "column", alignItems: "stretch" }}>
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

/** The newest import into this version while it goes on, and for a while after it failed. Files are read again when one ends. */
function useGitJobs(ref: VersionRef): JobView[] {
  const refresh = useRefresh();
  const now = useNow();
  const link = versionPath(ref);
  const mine = (useJobs().data?.items ?? []).filter((job) => job.kind === "git_import" && job.link === link);
  const finished = mine.filter((job) => job.state === "completed").map((job) => job.id);
  const showNewFiles = useEffectEvent(() => void refresh.files(ref));
  const key = finished.join(" ");
  useEffect(() => {
    if (key !== "") showNewFiles();
  }, [key]);
  const [newest] = mine;
  if (!newest) return [];
  const hasJustFailed = newest.state === "failed" && now - Date.parse(newest.finished_at ?? newest.created_at) < TOLD_MS;
  return isUnfinished(newest) || hasJustFailed ? [newest] : [];
}
