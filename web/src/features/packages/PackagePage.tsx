/** One package, seen through one of its versions: the one in the address, else the newest. */
import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { useSceneText } from "@/features/assets/texts";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { ActionButtons } from "@/ui/ActionButtons";
import { DescriptionEdit } from "@/ui/DescriptionEdit";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { describePackage } from "./api";
import type { PackageRef } from "./api";
import { BuildLog } from "./BuildLog";
import { usePackageActions } from "./package-actions";
import { PackageOverview } from "./PackageOverview";
import { PackageVersions } from "./PackageVersions";
import { packageMakePath, packageQuery, packagesPath, packageVersionQuery, useRefreshPackages } from "./queries";
import type { PackageVersion, PackageView } from "./types";
import { UsersTab } from "./UsersTab";
import { PackageFiles, PackageLineage } from "./VersionContent";
import { VersionBar } from "./VersionBar";

export default function PackagePage() {
  const { t } = useTranslation(["packages", "assets"]);
  const project = useProjectName();
  const { package: name = "", version: wanted } = useParams();
  const navigate = useNavigate();
  const sceneText = useSceneText();
  const ref = { project, package: name };
  const query = useQuery(packageQuery(ref));
  const number = wanted === undefined ? (query.data?.latest_version ?? null) : Number(wanted);
  const version = useQuery({ ...packageVersionQuery({ ...ref, version: number ?? 0 }), enabled: number !== null });
  const refresh = useRefreshPackages(project);
  const { actionsOf, dialog } = usePackageActions(project, () => navigate(packagesPath(project), { flushSync: true }));
  const tabsOf = useTabs(ref);
  return (
    <>
      <ThingPage<PackageView>
        query={query}
        render={(one) => ({
          name: one.name,
          id: one.id,
          facts: (
            <>
              <span>{sceneText(one.scene)}</span>
              <span>{t("assets:madeBy", { name: one.created_by })}</span>
              <RelativeTime at={one.created_at} />
            </>
          ),
          description: (
            <DescriptionEdit
              key={one.id}
              text={one.description}
              canEdit={one.permissions.includes("write")}
              onSave={async (text) => {
                await describePackage(ref, text);
                await refresh();
              }}
            />
          ),
          actions: <ActionButtons actions={actionsOf(one)} shown={1} />,
          banner: version.data && number !== null && <VersionBar project={project} of={one} version={version.data} />,
          tabs: version.data && number !== null ? tabsOf(version.data) : [{ key: "none", label: "", content: number === null ? <NoVersions of={ref} /> : <VersionMissing version={version} /> }],
        })}
      />
      {dialog}
    </>
  );
}

function NoVersions({ of }: { of: PackageRef }) {
  const { t } = useTranslation("packages");
  const canWrite = useProjectPermission(of.project, "package.write");
  return (
    <EmptyState
      title={t("none.title")}
      text={t("none.text")}
      action={
        canWrite && (
          <Link to={packageMakePath(of)}>
            <Button type="primary" icon={<PlusOutlined aria-hidden />} tabIndex={-1}>
              {t("newVersion")}
            </Button>
          </Link>
        )
      }
    />
  );
}

function VersionMissing({ version }: { version: UseQueryResult<PackageVersion> }) {
  const { t } = useTranslation("assets");
  if (version.isPending) return <Loading />;
  if (!isNotFound(version.error)) return <ErrorState error={version.error} onRetry={() => void version.refetch()} />;
  return <EmptyState picture="search" title={t("versionMissing")} text={t("versionMissingText")} />;
}

function useTabs(ref: PackageRef): (version: PackageVersion) => ThingTab[] {
  const { t } = useTranslation(["packages", "assets"]);
  return (version) => {
    const of = { ...ref, version: version.number };
    return [
      { key: "overview", label: t("assets:tab.overview"), content: <PackageOverview project={ref.project} version={version} /> },
      { key: "log", label: t("tab.log"), content: <BuildLog project={ref.project} version={version} /> },
      { key: "files", label: t("assets:tab.files"), content: <PackageFiles key={version.id} of={of} version={version} /> },
      { key: "versions", label: t("assets:tab.versions"), content: <PackageVersions of={ref} current={version.number} /> },
      { key: "lineage", label: t("assets:tab.lineage"), content: <PackageLineage key={version.id} of={of} /> },
      { key: "users", label: t("tab.users"), content: <UsersTab users={version.users} /> },
    ];
  };
}
