/** The assets of one kind: the project's own and the public ones. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Tabs } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { ModelFactsOf, useModelColumns } from "@/features/models/model-columns";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { CommandLine } from "@/ui/CommandLine";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn, ListFilter } from "@/ui/list/types";
import { PageHeader } from "@/ui/PageHeader";
import { RelativeTime } from "@/ui/RelativeTime";
import { assetPath, versionPath } from "./addresses";
import { deleteAsset, listAssets } from "./api";
import { refOf, useAssetActions } from "./asset-actions";
import { AssetForm } from "./AssetForm";
import { pushCommand } from "./commands";
import type { KindDeclaration, PlainKind } from "./kinds";
import { assetsKey, useRefresh } from "./queries";
import { useSceneOptions, useSceneText } from "./texts";
import type { AssetView } from "./types";

const PUBLIC = "public";

export function AssetsPage({ declaration }: { declaration: KindDeclaration<PlainKind> }) {
  const { t } = useTranslation(["assets", "common"]);
  const project = useProjectName();
  const [params, setParams] = useSearchParams();
  const canWrite = useProjectPermission(project, `${declaration.kind}.write`);
  const isPublicTab = project !== PUBLIC && params.get("from") === PUBLIC;
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const refresh = useRefresh();
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t(`${declaration.kind}.create`)}
    </Button>
  );
  return (
    <>
      <PageHeader title={t(`${declaration.kind}.title`)} description={t(`${declaration.kind}.about`)} actions={create} />
      {project !== PUBLIC && (
        <Tabs
          activeKey={isPublicTab ? PUBLIC : "mine"}
          items={[
            { key: "mine", label: t("tab.mine") },
            { key: PUBLIC, label: t("tab.public") },
          ]}
          onChange={(key) => setParams(key === PUBLIC ? { from: PUBLIC } : {})}
        />
      )}
      <AssetList
        key={String(isPublicTab)}
        declaration={declaration}
        from={isPublicTab ? PUBLIC : project}
        into={project}
        canDelete={canWrite && !isPublicTab}
        create={create}
      />
      {isCreating && (
        <AssetForm
          project={project}
          declaration={declaration}
          onCreated={(asset) => {
            void refresh.assets(project, declaration.segment);
            void navigate(assetPath(refOf(asset)));
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

interface AssetListProps {
  declaration: KindDeclaration<PlainKind>;
  from: string;
  into: string;
  canDelete: boolean;
  create: React.ReactNode;
}

function AssetList({ declaration, from, into, canDelete, create }: AssetListProps) {
  const { t } = useTranslation(["assets", "common"]);
  const { segment, kind } = declaration;
  const isPublic = from === PUBLIC && into !== PUBLIC;
  const columns = useColumns(declaration.hasModelFacts);
  const scenes = useSceneOptions();
  const { actionsOf, dialog } = useAssetActions({ project: into });
  const filters = useMemo<ListFilter[]>(
    () => [
      { kind: "select", key: "scene", label: t("sceneLabel"), options: scenes },
      ...(isPublic ? [] : [{ kind: "toggle" as const, key: "mine", label: t("onlyMine") }]),
    ],
    [t, scenes, isPublic],
  );
  const bulk: BulkAction<AssetView>[] = [
    {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      confirmTitle: (rows) => t("delete.titleMany", { count: rows.length }),
      run: (asset) => deleteAsset(refOf(asset)),
    },
  ];
  const list = (
    <>
      <ListPage<AssetView>
        listKey={`assets.${segment}`}
        queryKey={assetsKey(from, segment)}
        load={(query) => listAssets(from, segment, query)}
        columns={columns}
        keyOf={(asset) => asset.id}
        nameOf={(asset) => asset.name}
        filters={filters}
        searchLabel={t("search")}
        defaultSort="-updated_at"
        rowActions={actionsOf}
        bulkActions={canDelete ? bulk : undefined}
        empty={{
          title: isPublic ? t(`${kind}.emptyPublic`) : t(`${kind}.empty`),
          text: isPublic ? t("empty.publicText") : t(`${kind}.emptyText`),
          action: isPublic ? undefined : (
            <>
              {create}
              {create && <CommandLine text={pushCommand(into, kind)} label={t("empty.command")} />}
            </>
          ),
        }}
      />
      {dialog}
    </>
  );
  return declaration.hasModelFacts ? <ModelFactsOf project={from}>{list}</ModelFactsOf> : list;
}

function useColumns(hasModelFacts: boolean): ListColumn<AssetView>[] {
  const { t } = useTranslation(["assets", "common"]);
  const format = useFormat();
  const sceneText = useSceneText();
  const modelColumns = useModelColumns();
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (asset) => <Link to={assetPath(refOf(asset))}>{asset.name}</Link> },
    ...(hasModelFacts ? modelColumns : []),
    { key: "scene", title: t("sceneLabel"), isHidden: hasModelFacts, render: (asset) => sceneText(asset.scene) },
    { key: "description", title: t("common:field.description"), isHidden: true, render: (asset) => asset.description },
    {
      key: "latest",
      title: t("column.latest"),
      render: (asset) =>
        asset.latest_version === null ? (
          <span className="tm-muted">–</span>
        ) : (
          <Link to={versionPath({ ...refOf(asset), version: asset.latest_version })}>{t("versionNumber", { number: asset.latest_version })}</Link>
        ),
    },
    { key: "versions", title: t("column.versions"), align: "right", render: (asset) => format.number(asset.versions_count) },
    { key: "size", title: t("column.size"), sort: "size_bytes", align: "right", render: (asset) => format.bytes(asset.size_bytes) },
    { key: "creator", title: t("column.creator"), render: (asset) => asset.created_by },
    { key: "created", title: t("column.created"), sort: "created_at", isHidden: true, render: (asset) => <RelativeTime at={asset.created_at} /> },
    { key: "updated", title: t("column.updated"), sort: "updated_at", render: (asset) => <RelativeTime at={asset.updated_at} /> },
  ];
}
