/** The project's datasets and the public ones. */
import { DeleteOutlined, EditOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Progress, Tabs } from "antd";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter } from "@/ui/list/types";
import { PageHeader } from "@/ui/PageHeader";
import { RelativeTime } from "@/ui/RelativeTime";
import { datasetPath, datasetVersionPath } from "./addresses";
import { listDatasets } from "./api";
import { ANNOTATION_TYPES, DATA_TYPES, useTypeText } from "./data-types";
import { refOf, useDatasetActions } from "./dataset-actions";
import { DatasetForm } from "./DatasetForm";
import { datasetsKey, useDatasetRefresh } from "./queries";
import type { DatasetView } from "./types";
import styles from "./Datasets.module.css";

const PUBLIC = "public";

export default function DatasetsPage() {
  const { t } = useTranslation("datasets");
  const project = useProjectName();
  const navigate = useNavigate();
  const refresh = useDatasetRefresh();
  const [params, setParams] = useSearchParams();
  const canWrite = useProjectPermission(project, "dataset.write");
  const isPublicTab = project !== PUBLIC && params.get("from") === PUBLIC;
  const [isCreating, setCreating] = useState(false);
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create.action")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} description={t("about")} actions={create} />
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
      <DatasetList key={String(isPublicTab)} from={isPublicTab ? PUBLIC : project} into={project} create={create} />
      {isCreating && (
        <DatasetForm
          project={project}
          onCreated={(dataset) => {
            void refresh.datasets(project);
            void navigate(datasetPath(refOf(dataset)));
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function DatasetList({ from, into, create }: { from: string; into: string; create: ReactNode }) {
  const { t } = useTranslation(["datasets", "common"]);
  const isPublic = from === PUBLIC && into !== PUBLIC;
  const { actionsOf, dialog } = useDatasetActions();
  const filters = useMemo<ListFilter[]>(
    () => [
      { kind: "select", key: "data_type", label: t("dataTypeLabel"), options: DATA_TYPES.map((value) => ({ value, label: t(`dataType.${value}`) })) },
      { kind: "select", key: "annotation_type", label: t("annotationTypeLabel"), options: ANNOTATION_TYPES.map((value) => ({ value, label: t(`annotationType.${value}`) })) },
      ...(isPublic ? [] : [{ kind: "toggle" as const, key: "mine", label: t("common:list.onlyMine") }]),
    ],
    [t, isPublic],
  );
  return (
    <>
      <ListPage<DatasetView>
        listKey="datasets"
        queryKey={datasetsKey(from)}
        load={(query) => listDatasets(from, query)}
        columns={useColumns()}
        keyOf={(dataset) => dataset.id}
        nameOf={(dataset) => dataset.name}
        filters={filters}
        searchLabel={t("search")}
        defaultSort="-updated_at"
        rowActions={(dataset) =>
          actionsOf(dataset).map((action) => ({ ...action, icon: action.key === "delete" ? <DeleteOutlined aria-hidden /> : <EditOutlined aria-hidden /> }))
        }
        empty={{ title: isPublic ? t("emptyPublic") : t("empty"), text: isPublic ? undefined : t("emptyText"), action: isPublic ? undefined : create }}
      />
      {dialog}
    </>
  );
}

function useColumns(): ListColumn<DatasetView>[] {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const typeText = useTypeText();
  const none = <span className="tm-muted">–</span>;
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (dataset) => <Link to={datasetPath(refOf(dataset))}>{dataset.name}</Link> },
    { key: "data", title: t("dataTypeLabel"), isHidden: true, render: (dataset) => t(`dataType.${dataset.data_type}`) },
    { key: "type", title: t("annotationTypeLabel"), render: (dataset) => typeText(dataset) },
    { key: "description", title: t("common:field.description"), isHidden: true, render: (dataset) => dataset.description },
    {
      key: "latest",
      title: t("column.latest"),
      render: ({ latest, ...dataset }) => (latest ? <Link to={datasetVersionPath({ ...refOf(dataset), version: latest.number })}>{t("versionNumber", { number: latest.number })}</Link> : none),
    },
    { key: "items", title: t("column.items"), align: "right", render: ({ latest }) => (latest ? format.number(latest.items) : none) },
    {
      key: "progress",
      title: t("column.progress"),
      render: ({ latest, name }) => (latest && latest.items > 0 ? <Progress className={styles.rowProgress} size="small" percent={Math.floor(latest.progress)} aria-label={t("progressOf", { name })} /> : none),
    },
    { key: "versions", title: t("column.versions"), align: "right", isHidden: true, render: (dataset) => format.number(dataset.versions_count) },
    { key: "size", title: t("column.size"), sort: "size_bytes", align: "right", render: (dataset) => format.bytes(dataset.size_bytes) },
    { key: "creator", title: t("common:field.createdBy"), render: (dataset) => dataset.created_by },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", isHidden: true, render: (dataset) => <RelativeTime at={dataset.created_at} /> },
    { key: "updated", title: t("common:field.updatedAt"), sort: "updated_at", render: (dataset) => <RelativeTime at={dataset.updated_at} /> },
  ];
}
