/** The version being looked at: which one, how far its build is, and what can be done with it. */
import { Select } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { shortDigest } from "@/features/images/names";
import { DeployButton } from "@/features/services/DeployButton";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { CopyButton } from "@/ui/CopyText";
import { PackageBadge } from "./PackageBadge";
import { newestPackageVersionsQuery, packageVersionPath } from "./queries";
import type { PackageVersion, PackageView } from "./types";
import { useVersionActions } from "./version-actions";
import styles from "./Packages.module.css";

export function VersionBar({ project, of, version }: { project: string; of: PackageView; version: PackageVersion }) {
  const { t } = useTranslation(["packages", "assets"]);
  const format = useFormat();
  const actionsOf = useVersionActions(project);
  const actions = actionsOf(version);
  const isUrgent = (key: string) => key === "stop" || key === "build";
  return (
    <div className={styles.bar}>
      <div className={styles.barMain}>
        <VersionSelect project={project} of={of} version={version} />
        <PackageBadge state={version.state} reason={version.error?.message} />
        <span className={styles.barFacts}>{t("assets:versionFacts", { count: version.files, files: format.number(version.files), size: format.bytes(version.size_bytes) })}</span>
        <span className={styles.barFacts}>
          <code>{shortDigest(version.digest)}</code> <CopyButton text={version.digest} label={t("copyDigest")} />
        </span>
      </div>
      <div className={styles.barActions}>
        <ActionButtons actions={actions.filter(({ key }) => isUrgent(key))} />
        <DeployButton project={project} source={{ package: version.name }} name={of.name} disabledReason={version.state === "completed" ? undefined : t("notBuilt")} />
        <ActionButtons actions={actions.filter(({ key }) => !isUrgent(key))} shown={1} />
      </div>
    </div>
  );
}

function VersionSelect({ project, of, version }: { project: string; of: PackageView; version: PackageVersion }) {
  const { t } = useTranslation("assets");
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const newest = useQuery(newestPackageVersionsQuery({ project, package: of.name }));
  const items = newest.data?.items ?? [];
  const shown = items.some((item) => item.number === version.number) ? items : [...items, version];
  const tab = params.get("tab");
  return (
    <Select<number | "all">
      className={styles.version}
      aria-label={t("chooseVersion")}
      value={version.number}
      popupMatchSelectWidth={280}
      options={[
        ...shown.map((item) => ({ value: item.number, label: t("versionNumber", { number: item.number }), item })),
        ...(of.versions_count > items.length ? [{ value: "all" as const, label: t("showAll", { count: of.versions_count }), item: null }] : []),
      ]}
      optionRender={({ data, label }) => (
        <span className={styles.option}>
          {label}
          {data.item && <PackageBadge state={data.item.state} />}
        </span>
      )}
      onChange={(value) => {
        if (value === "all") setParams({ tab: "versions" });
        else void navigate(`${packageVersionPath({ project, package: of.name, version: value })}${tab ? `?tab=${tab}` : ""}`);
      }}
    />
  );
}
