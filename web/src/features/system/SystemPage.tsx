import { ClearOutlined, SafetyOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { JobView, SystemView } from "@/api/types";
import { isUnfinished, useJobs, useTrackJob } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import { usePermission } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Facts, Panel } from "@/ui/Facts";
import { useNotify } from "@/ui/notify";
import { PageHeader } from "@/ui/PageHeader";
import { RelativeTime } from "@/ui/RelativeTime";
import { Skeleton } from "antd";
import styles from "./System.module.css";

const REFRESH_MS = 15_000;

export default function SystemPage() {
  const { t } = useTranslation("system");
  const query = useQuery({ queryKey: ["system"], queryFn: () => unwrap(api.GET("/api/v1/system")), refetchInterval: REFRESH_MS });
  return (
    <section>
      <PageHeader title={t("title")} description={t("text")} />
      {query.isPending && <Skeleton active />}
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <System system={query.data} />}
    </section>
  );
}

function System({ system }: { system: SystemView }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const canWrite = usePermission("system.write");
  return (
    <>
      <Panel title={t("about")}>
        <Facts
          facts={[
            { key: "version", label: t("version"), value: system.version },
            { key: "uptime", label: t("uptime"), value: format.duration(system.uptime_s) },
            { key: "database", label: t("database"), value: system.database },
            { key: "home", label: t("home"), value: <code>{system.home}</code> },
            { key: "projects", label: t("projects"), value: format.number(system.projects) },
            { key: "users", label: t("users"), value: format.number(system.users) },
          ]}
        />
      </Panel>
      <Panel title={t("store")}>
        <Facts
          facts={[
            { key: "kind", label: t("storeKind"), value: isStoreKind(system.store.kind) ? t(`storeKinds.${system.store.kind}`) : system.store.kind },
            { key: "blobs", label: t("blobs"), value: format.number(system.store.blobs) },
            { key: "bytes", label: t("bytes"), value: format.bytes(system.store.bytes) },
          ]}
        />
      </Panel>
      {canWrite && (
        <Panel title={t("care")}>
          <Care kind="gc" icon={<ClearOutlined aria-hidden />} start={() => unwrap(api.POST("/api/v1/system/gc"))} />
          <Care kind="verify" icon={<SafetyOutlined aria-hidden />} start={() => unwrap(api.POST("/api/v1/system/verify"))} />
        </Panel>
      )}
    </>
  );
}

function isStoreKind(kind: string): kind is "local" | "s3" {
  return kind === "local" || kind === "s3";
}

interface CareProps {
  kind: "gc" | "verify";
  icon: ReactNode;
  start: () => Promise<JobView>;
}

/** One piece of upkeep: what it does, its button, and how the last one went. */
function Care({ kind, icon, start }: CareProps) {
  const { t } = useTranslation("system");
  const notify = useNotify();
  const track = useTrackJob();
  const job = useJobs().data?.items.find((one) => one.kind === kind);
  const run = useMutation({ mutationFn: start, onSuccess: track, onError: notify.failed });
  const isRunning = job !== undefined && isUnfinished(job);
  return (
    <div className={styles.care}>
      <div className={styles.words}>
        <strong>{t(`${kind}.title`)}</strong>
        <p className="tm-muted">{t(`${kind}.text`)}</p>
        {job && (
          <div className={styles.job}>
            <JobBadge state={job.state} /> <RelativeTime at={job.finished_at ?? job.created_at} />
            <div>
              <JobProgress job={job} />
            </div>
          </div>
        )}
      </div>
      <Button icon={icon} loading={run.isPending} disabled={isRunning} title={isRunning ? t("already") : undefined} onClick={() => run.mutate()}>
        {t(`${kind}.action`)}
      </Button>
    </div>
  );
}
