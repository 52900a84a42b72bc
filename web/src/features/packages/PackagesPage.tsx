import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useSceneOptions, useSceneText } from "@/features/assets/texts";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { CommandLine } from "@/ui/CommandLine";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listPackages } from "./api";
import { usePackageActions } from "./package-actions";
import { PackageBadge } from "./PackageBadge";
import { PackageForm } from "./PackageForm";
import { packageMakePath, packagePath, packagesKey, packageVersionPath, useRefreshPackages } from "./queries";
import { createCommand } from "./recipe-command";
import { STATES } from "./states";
import type { PackageView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";

export default function PackagesPage() {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "package.write");
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const refresh = useRefreshPackages(project);
  const { actionsOf, dialog } = usePackageActions(project);
  const scenes = useSceneOptions();
  const filters = useMemo<ListFilter[]>(
    () => [
      { kind: "select", key: "scene", label: t("assets:sceneLabel"), options: scenes },
      { kind: "select", key: "state", label: t("buildState"), options: STATES.map((state) => ({ value: state, label: t(`state.${state}`) })) },
      { kind: "toggle", key: "mine", label: t("common:list.onlyMine") },
    ],
    [t, scenes],
  );
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<PackageView>
        listKey="packages"
        queryKey={packagesKey(project)}
        load={(query) => listPackages(project, query)}
        title={t("title")}
        description={t("text")}
        columns={useColumns(project)}
        keyOf={(one) => one.id}
        nameOf={(one) => one.name}
        filters={filters}
        defaultSort="-updated_at"
        primaryAction={create}
        rowActions={actionsOf}
        empty={{
          title: t("empty"),
          text: t("emptyText"),
          action: (
            <>
              {create}
              {create && <CommandLine text={createCommand(project)} label={t("assets:empty.command")} />}
            </>
          ),
        }}
      />
      {dialog}
      {isCreating && (
        <PackageForm
          project={project}
          onCreated={(made) => {
            void refresh();
            void navigate(packageMakePath({ project, package: made.name }));
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function useColumns(project: string): ListColumn<PackageView>[] {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const format = useFormat();
  const sceneText = useSceneText();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (one) => (
        <>
          <Link to={packagePath({ project, package: one.name })}>{one.name}</Link>
          {one.description && <div className={surfaces.small}>{one.description}</div>}
        </>
      ),
    },
    {
      key: "latest",
      title: t("newest"),
      render: (one) =>
        one.latest ? (
          <span className={surfaces.line}>
            <Link to={packageVersionPath({ project, package: one.name, version: one.latest.number })}>{t("assets:versionNumber", { number: one.latest.number })}</Link>
            <PackageBadge state={one.latest.state} />
          </span>
        ) : (
          <span className="tm-muted">{t("noVersions")}</span>
        ),
    },
    {
      key: "ready",
      title: t("newestReady"),
      render: (one) =>
        one.ready ? (
          <Link to={packageVersionPath({ project, package: one.name, version: one.ready.number })}>{t("assets:versionNumber", { number: one.ready.number })}</Link>
        ) : (
          <span className="tm-muted">–</span>
        ),
    },
    { key: "scene", title: t("assets:sceneLabel"), render: (one) => sceneText(one.scene) },
    { key: "versions", title: t("assets:column.versions"), align: "right", render: (one) => format.number(one.versions_count) },
    { key: "creator", title: t("assets:column.creator"), render: (one) => one.created_by },
    { key: "created", title: t("assets:column.created"), sort: "created_at", isHidden: true, render: (one) => <RelativeTime at={one.created_at} /> },
    { key: "updated", title: t("assets:column.updated"), sort: "updated_at", render: (one) => <RelativeTime at={one.updated_at} /> },
  ];
}
