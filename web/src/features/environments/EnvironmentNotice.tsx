/** What needs to be known at once: it waits, it starts, it is about to be stopped, it has failed. */
import { Alert, Button } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { WaitingCard } from "@/features/workloads/WaitingCard";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";
import { useNotify } from "@/ui/notify";
import { keepAlive } from "./api";
import { environmentQuery } from "./queries";
import type { EnvironmentView } from "./types";
import styles from "./Environments.module.css";

export function EnvironmentNotice({ project, environment }: { project: string; environment: EnvironmentView }) {
  const { t } = useTranslation("environments");
  const { state, workload, warning } = environment;
  if (workload && state === "pending") return <WaitingCard workload={{ project, id: workload.id }} since={workload.created_at} />;
  if (workload && state === "starting") return <Alert className={styles.banner} type="info" showIcon title={t("starting.title")} description={workload.message || t("starting.text")} />;
  if (state === "running" && warning) return <StopWarning project={project} environment={environment} warning={warning} />;
  if (workload && state === "failed") return <Alert className={styles.banner} type="error" showIcon title={t("ended.failed")} description={workload.message || t("ended.text")} />;
  return null;
}

interface StopWarningProps {
  project: string;
  environment: EnvironmentView;
  warning: NonNullable<EnvironmentView["warning"]>;
}

function StopWarning({ project, environment, warning }: StopWarningProps) {
  const { t } = useTranslation("environments");
  const format = useFormat();
  const now = useNow();
  const client = useQueryClient();
  const notify = useNotify();
  const [isBusy, setBusy] = useState(false);
  const when = format.relative(warning.stops_at, now);
  const keep = async () => {
    setBusy(true);
    try {
      client.setQueryData(environmentQuery(project, environment.name).queryKey, await keepAlive(project, environment.id));
      notify.done(t("warning.kept"));
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Alert
      className={styles.banner}
      type="warning"
      showIcon
      role="alert"
      title={t("warning.title")}
      description={warning.kind === "idle" ? t("warning.idle", { when }) : t("warning.limit", { when })}
      action={
        <Button size="small" type="primary" loading={isBusy} onClick={() => void keep()}>
          {t("action.keepAlive")}
        </Button>
      }
    />
  );
}
