/** One asset, seen through one of its versions: the one in the address, else the newest. */
import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { EvaluationsTab } from "@/features/evaluations/EvaluationsTab";
import { LineageTab } from "@/features/lineage/LineageTab";
import { useProjectName } from "@/features/projects/current-project";
import { ActionButtons } from "@/ui/ActionButtons";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { assetsPath } from "./addresses";
import { useAssetActions } from "./asset-actions";
import { DescriptionEdit } from "./DescriptionEdit";
import { FilesTab } from "./FilesTab";
import type { KindDeclaration, PlainKind } from "./kinds";
import { NoVersions } from "./NoVersions";
import { OverviewTab } from "./OverviewTab";
import { assetQuery, versionQuery } from "./queries";
import { ReferencesTab } from "./ReferencesTab";
import { StructureTab } from "./StructureTab";
import { useSceneText } from "./texts";
import type { AssetView, VersionView } from "./types";
import { VersionBar } from "./VersionBar";
import { VersionsTab } from "./VersionsTab";

export function AssetPage({ declaration }: { declaration: KindDeclaration<PlainKind> }) {
  const { t } = useTranslation("assets");
  const { asset: name = "", version: wanted } = useParams();
  const project = useProjectName();
  const navigate = useNavigate();
  const sceneText = useSceneText();
  const ref = { project, kind: declaration.segment, asset: name };
  const query = useQuery(assetQuery(ref));
  const number = wanted === undefined ? (query.data?.latest_version ?? null) : Number(wanted);
  const version = useQuery({ ...versionQuery({ ...ref, version: number ?? 0 }), enabled: number !== null });
  const { actionsOf, dialog } = useAssetActions({ project, onDeleted: () => navigate(assetsPath(project, declaration.segment), { flushSync: true }) });
  const tabsOf = useTabs(declaration);
  return (
    <>
      <ThingPage<AssetView>
        query={query}
        render={(asset) => ({
          name: asset.name,
          id: asset.id,
          facts: (
            <>
              <span>{sceneText(asset.scene)}</span>
              <span>{t("madeBy", { name: asset.created_by })}</span>
              <RelativeTime at={asset.created_at} />
            </>
          ),
          description: <DescriptionEdit key={asset.id} asset={asset} />,
          actions: <ActionButtons actions={actionsOf(asset)} />,
          banner: version.data && number !== null && <VersionBar asset={asset} version={version.data} />,
          tabs: version.data && number !== null ? tabsOf(asset, version.data) : [{ key: "none", label: "", content: withoutVersion(asset) }],
        })}
      />
      {dialog}
    </>
  );

  function withoutVersion(asset: AssetView) {
    return number === null ? <NoVersions asset={asset} /> : <VersionMissing version={version} asset={asset} />;
  }
}

function VersionMissing({ version, asset }: { version: UseQueryResult<VersionView>; asset: AssetView }) {
  const { t } = useTranslation("assets");
  if (version.isPending) return <Loading />;
  if (!isNotFound(version.error)) return <ErrorState error={version.error} onRetry={() => void version.refetch()} />;
  return asset.latest_version === null ? <NoVersions asset={asset} /> : <EmptyState picture="search" title={t("versionMissing")} text={t("versionMissingText")} />;
}

function useTabs(declaration: KindDeclaration<PlainKind>): (asset: AssetView, version: VersionView) => ThingTab[] {
  const { t } = useTranslation(["assets", "evaluations"]);
  return (asset, version) => [
    { key: "files", label: t("tab.files"), content: <FilesTab key={version.id} asset={asset} version={version} /> },
    ...(declaration.hasModelFacts ? [{ key: "structure", label: t("tab.structure"), content: <StructureTab key={version.id} asset={asset} version={version} /> }] : []),
    { key: "overview", label: t("tab.overview"), content: <OverviewTab asset={asset} version={version} hasModelFacts={declaration.hasModelFacts} /> },
    ...(declaration.hasModelFacts ? [{ key: "evaluations", label: t("evaluations:tab.evaluations"), content: <EvaluationsTab key={version.id} project={asset.project} model={`${asset.name}@${version.number}`} /> }] : []),
    { key: "versions", label: t("tab.versions"), content: <VersionsTab asset={asset} current={version} /> },
    { key: "lineage", label: t("tab.lineage"), content: <LineageTab key={version.id} asset={asset} version={version} /> },
    { key: "references", label: t("tab.references"), content: <ReferencesTab asset={asset} /> },
  ];
}
