/** The version being looked at: which one, its state, and what can be done with it. */
import { DownloadOutlined } from "@ant-design/icons";
import { Button, Dropdown, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EvaluateVersion } from "@/features/evaluations/EvaluateVersion";
import { InferVersion } from "@/features/inference/InferButton";
import { archiveAddress } from "@/features/files/version-ref";
import { DeployButton } from "@/features/services/DeployButton";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { versionPath } from "./addresses";
import { refOf } from "./asset-actions";
import { newestVersionsQuery } from "./queries";
import type { AssetView, VersionView } from "./types";
import { useVersionActions } from "./version-actions";
import { VersionBadge } from "./VersionBadge";
import { VersionSelect } from "./VersionSelect";
import styles from "./VersionBar.module.css";

export function VersionBar({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const format = useFormat();
  const { primary, more, dialog } = useVersionActions(asset, version);
  const newest = useQuery(newestVersionsQuery(refOf(asset)));
  return (
    <div className={styles.bar}>
      <div className={styles.main}>
        <VersionSelect current={version} newest={newest.data?.items ?? []} total={asset.versions_count} badgeOf={({ state }) => <VersionBadge state={state} />} pathOf={(number) => versionPath({ ...refOf(asset), version: number })} />
        <VersionBadge state={version.state} />
        <span className={styles.facts}>
          {t("versionFacts", { count: version.files, files: format.number(version.files), size: format.bytes(version.size_bytes) })}
        </span>
        {version.note && (
          <span className={styles.note} title={version.note}>
            {version.note}
          </span>
        )}
      </div>
      <div className={styles.actions}>
        {primary && (
          <Tooltip title={primary.disabledReason}>
            <Button type="primary" icon={primary.icon} disabled={primary.disabledReason !== undefined} onClick={primary.onClick}>
              {primary.label}
            </Button>
          </Tooltip>
        )}
        {asset.kind === "model" && <EvaluateVersion model={{ project: asset.project, model: asset.name, version: version.number }} />}
        {asset.kind === "model" && <InferVersion model={{ project: asset.project, model: asset.name, version: version.number }} />}
        {asset.kind === "model" && <DeployButton project={asset.project} source={{ model: `${asset.name}@${version.number}` }} name={asset.name} disabledReason={version.state === "committed" ? undefined : t("commit.first")} />}
        <DownloadButton asset={asset} version={version} />
        <ActionButtons actions={more} shown={0} />
      </div>
      {dialog}
    </div>
  );
}

function DownloadButton({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const ref = { ...refOf(asset), version: version.number };
  const isEmpty = version.files === 0;
  return (
    <Dropdown
      trigger={["click"]}
      disabled={isEmpty}
      menu={{
        items: [
          { key: "zip", label: <a href={archiveAddress(ref, "zip")}>{t("download.zip")}</a> },
          { key: "tar", label: <a href={archiveAddress(ref, "tar")}>{t("download.tar")}</a> },
        ],
      }}
    >
      <Tooltip title={isEmpty ? t("download.empty") : undefined}>
        <Button icon={<DownloadOutlined aria-hidden />} disabled={isEmpty}>
          {t("download.action")}
        </Button>
      </Tooltip>
    </Dropdown>
  );
}
