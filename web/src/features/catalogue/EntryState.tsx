/** Whether a model is here, on its way, or can be brought. */
import { DownloadOutlined } from "@ant-design/icons";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { assetPath } from "@/features/assets/addresses";
import { jobsKey } from "@/features/activity/live-events";
import { useJobs } from "@/features/activity/jobs";
import { JobProgress } from "@/features/activity/JobState";
import { useProjectPermission } from "@/features/projects/current-project";
import { useNotify } from "@/ui/notify";
import { StateBadge } from "@/ui/StateBadge";
import { installEntry, PUBLIC } from "./api";
import { catalogueKey } from "./queries";
import type { CatalogueEntry } from "./types";
import styles from "./Catalogue.module.css";

export function EntryState({ entry }: { entry: CatalogueEntry }) {
  const { t } = useTranslation("catalogue");
  if (entry.state === "installed") {
    return (
      <span className={styles.state}>
        <StateBadge tone="completed" text={t("state.installed")} />
        {entry.model && <Link to={assetPath({ project: PUBLIC, kind: "models", asset: nameOf(entry.model) })}>{entry.model}</Link>}
      </span>
    );
  }
  return entry.state === "installing" ? <Installing entry={entry} /> : <Install entry={entry} />;
}

function Installing({ entry }: { entry: CatalogueEntry }) {
  const { t } = useTranslation("catalogue");
  const job = useJobs().data?.items.find((one) => one.id === entry.job);
  return (
    <div className={styles.installing} role="status">
      <StateBadge tone="running" text={t("state.installing")} />
      {job && <JobProgress job={job} />}
    </div>
  );
}

function Install({ entry }: { entry: CatalogueEntry }) {
  const { t } = useTranslation("catalogue");
  const client = useQueryClient();
  const notify = useNotify();
  const may = useProjectPermission(PUBLIC, "model.write");
  const install = useMutation({
    mutationFn: () => installEntry(entry.name),
    onSettled: () => Promise.all([client.invalidateQueries({ queryKey: catalogueKey }), client.invalidateQueries({ queryKey: jobsKey })]),
    onError: (error) => notify.failed(error),
  });
  const failed = useJobs().data?.items.find((job) => job.state === "failed" && job.id === entry.job);
  const why = !may ? t("onlyAdministrators") : entry.available === "unavailable" ? t("unavailable") : undefined;
  return (
    <div className={styles.installing}>
      <Tooltip title={why ?? t(`from.${entry.available}`)}>
        <Button size="small" icon={<DownloadOutlined aria-hidden />} disabled={why !== undefined} loading={install.isPending} onClick={() => install.mutate()} aria-label={t("installName", { name: entry.title })}>
          {t("install")}
        </Button>
      </Tooltip>
      {failed && <JobProgress job={failed} />}
      {entry.package && <small className="tm-muted">{t("package", { name: entry.package })}</small>}
    </div>
  );
}

/** `public/name@1` without where it is and its number. */
function nameOf(reference: string): string {
  return reference.replace(/^.*\//, "").replace(/@\d+$/, "");
}
