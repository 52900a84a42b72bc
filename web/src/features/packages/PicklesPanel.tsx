/** Whether models in pickle files may be served in the project: for its owner to say, knowing what that means. */
import { Alert, Skeleton, Switch, Tooltip } from "antd";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "@/ui/confirm";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { setPackageSettings } from "./api";
import { packageSettingsQuery } from "./queries";
import type { PackageSettings } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Packages.module.css";

export function PicklesPanel({ project }: { project: string }) {
  const { t } = useTranslation("packages");
  const settings = useQuery(packageSettingsQuery(project));
  return (
    <Panel title={t("pickles.title")}>
      {settings.isPending && <Skeleton active title={false} paragraph={{ rows: 2 }} />}
      {settings.isError && <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && <PicklesSwitch project={project} settings={settings.data} />}
    </Panel>
  );
}

function PicklesSwitch({ project, settings }: { project: string; settings: PackageSettings }) {
  const { t } = useTranslation("packages");
  const confirm = useConfirm();
  const notify = useNotify();
  const client = useQueryClient();
  const ask = (isAllowed: boolean) => {
    const choice = isAllowed ? "allow" : "forbid";
    confirm({
      title: t(`pickles.${choice}.title`, { project }),
      text: t(`pickles.${choice}.text`),
      okText: t(`pickles.${choice}.action`),
      isDanger: isAllowed,
      onConfirm: async () => {
        client.setQueryData(packageSettingsQuery(project).queryKey, await setPackageSettings(project, { allow_pickles: isAllowed }));
        notify.done(t(`pickles.${choice}.done`));
      },
    });
  };
  return (
    <>
      <p>{t("pickles.text")}</p>
      <div className={styles.switch}>
        <Tooltip title={settings.may_change ? undefined : t("notAllowed")}>
          <Switch id="allow-pickles" checked={settings.allow_pickles} disabled={!settings.may_change} onChange={ask} />
        </Tooltip>
        <label htmlFor="allow-pickles">{t("pickles.label")}</label>
      </div>
      {settings.allow_pickles && <Alert type="warning" showIcon title={t("pickles.warning")} />}
      {settings.changed_at && (
        <p className={surfaces.small}>
          {t("pickles.changed", { name: settings.changed_by })} <RelativeTime at={settings.changed_at} />
        </p>
      )}
    </>
  );
}
