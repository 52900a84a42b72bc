/** The version being looked at: which one, its state, and what can be done with it. */
import { DownloadOutlined } from "@ant-design/icons";
import { Button, Dropdown, Select, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
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
import styles from "./Assets.module.css";

export function VersionBar({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const format = useFormat();
  const { primary, more, dialog } = useVersionActions(asset, version);
  return (
    <div className={styles.bar}>
      <div className={styles.barMain}>
        <VersionSelect asset={asset} version={version} />
        <VersionBadge state={version.state} />
        <span className={styles.barFacts}>
          {t("versionFacts", { count: version.files, files: format.number(version.files), size: format.bytes(version.size_bytes) })}
        </span>
        {version.note && (
          <span className={styles.note} title={version.note}>
            {version.note}
          </span>
        )}
      </div>
      <div className={styles.barActions}>
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

function VersionSelect({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const newest = useQuery(newestVersionsQuery(refOf(asset)));
  const items = newest.data?.items ?? [];
  const shown = items.some((item) => item.number === version.number) ? items : [...items, version];
  const hasMore = asset.versions_count > items.length;
  const tab = params.get("tab");
  return (
    <Select<number | "all">
      className={styles.version}
      aria-label={t("chooseVersion")}
      value={version.number}
      popupMatchSelectWidth={280}
      options={[
        ...shown.map((item) => ({
          value: item.number,
          label: t("versionNumber", { number: item.number }),
          item,
        })),
        ...(hasMore ? [{ value: "all" as const, label: t("showAll", { count: asset.versions_count }), item: null }] : []),
      ]}
      optionRender={({ data, label }) => (
        <span className={styles.option}>
          {label}
          {data.item && <VersionBadge state={data.item.state} />}
        </span>
      )}
      onChange={(value) => {
        if (value === "all") setParams({ tab: "versions" });
        else void navigate(`${versionPath({ ...refOf(asset), version: value })}${tab ? `?tab=${tab}` : ""}`);
      }}
    />
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
