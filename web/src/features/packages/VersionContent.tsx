/** A version's files and where it came from, as all assets show them. */
import { useQuery } from "@tanstack/react-query";
import { LockOutlined } from "@ant-design/icons";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { assetQuery, versionQuery } from "@/features/assets/queries";
import { FileBrowser } from "@/features/files/browse/FileBrowser";
import { LineageTab } from "@/features/lineage/LineageTab";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import type { PackageVersionRef } from "./api";
import type { PackageVersion } from "./types";
import surfaces from "@/ui/Surfaces.module.css";

export function PackageFiles({ of, version }: { of: PackageVersionRef; version: PackageVersion }) {
  const { t } = useTranslation("packages");
  const { project, package: asset } = of;
  const ref = useMemo(() => ({ project, kind: "packages" as const, asset, version: version.number }), [project, asset, version.number]);
  if (version.state !== "completed") return <EmptyState title={t("files.notYet")} text={t("files.notYetText")} />;
  return (
    <FileBrowser
      versionRef={ref}
      versionId={version.id}
      canEdit={false}
      readOnlyHint={
        <span className={surfaces.line}>
          <LockOutlined aria-hidden />
          {t("files.readOnly")}
        </span>
      }
    />
  );
}

export function PackageLineage({ of }: { of: PackageVersionRef }) {
  const { t } = useTranslation("packages");
  const ref = { project: of.project, kind: "packages" as const, asset: of.package };
  const asset = useQuery(assetQuery(ref));
  const version = useQuery(versionQuery({ ...ref, version: of.version }));
  const failed = asset.error ?? version.error;
  if (failed) return <ErrorState error={failed} onRetry={() => void Promise.all([asset.refetch(), version.refetch()])} />;
  if (!asset.data || !version.data) return <Loading />;
  if (version.data.state !== "committed") return <EmptyState title={t("files.notYet")} text={t("files.notYetText")} />;
  return <LineageTab asset={asset.data} version={version.data} />;
}
