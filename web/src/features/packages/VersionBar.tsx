/** The version being looked at: which one, how far its build is, and what can be done with it. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { VersionSelect } from "@/features/assets/VersionSelect";
import { shortDigest } from "@/features/images/names";
import { DeployButton } from "@/features/services/DeployButton";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { CopyButton } from "@/ui/CopyText";
import { PackageBadge } from "./PackageBadge";
import { newestPackageVersionsQuery, packageVersionPath } from "./queries";
import type { PackageVersion, PackageView } from "./types";
import { useVersionActions } from "./version-actions";
import styles from "@/features/assets/VersionBar.module.css";

export function VersionBar({ project, of, version }: { project: string; of: PackageView; version: PackageVersion }) {
  const { t } = useTranslation(["packages", "assets"]);
  const format = useFormat();
  const actionsOf = useVersionActions(project);
  const newest = useQuery(newestPackageVersionsQuery({ project, package: of.name }));
  const actions = actionsOf(version);
  const isUrgent = (key: string) => key === "stop" || key === "build";
  return (
    <div className={styles.bar}>
      <div className={styles.main}>
        <VersionSelect current={version} newest={newest.data?.items ?? []} total={of.versions_count} badgeOf={({ state }) => <PackageBadge state={state} />} pathOf={(number) => packageVersionPath({ project, package: of.name, version: number })} />
        <PackageBadge state={version.state} reason={version.error?.message} />
        <span className={styles.facts}>{t("assets:versionFacts", { count: version.files, files: format.number(version.files), size: format.bytes(version.size_bytes) })}</span>
        <span className={styles.facts}>
          <code>{shortDigest(version.digest)}</code> <CopyButton text={version.digest} label={t("copyDigest")} />
        </span>
      </div>
      <div className={styles.actions}>
        <ActionButtons actions={actions.filter(({ key }) => isUrgent(key))} />
        <DeployButton project={project} source={{ package: version.name }} name={of.name} disabledReason={version.state === "completed" ? undefined : t("notBuilt")} />
        <ActionButtons actions={actions.filter(({ key }) => !isUrgent(key))} shown={1} />
      </div>
    </div>
  );
}
