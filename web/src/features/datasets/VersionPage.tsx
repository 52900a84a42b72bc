/** One version of a dataset: its items, statistics, labels, what came in and went out. */
import { useQuery } from "@tanstack/react-query";
import { Button, Progress, Select, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { AutoTab } from "@/features/auto/AutoTab";
import { LabelErrorsTab } from "@/features/auto/LabelErrorsTab";
import { EvaluationsTab } from "@/features/evaluations/EvaluationsTab";
import { LineageTab } from "@/features/lineage/LineageTab";
import { useProjectName } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { datasetPath, datasetVersionPath } from "./addresses";
import { CleaningTab } from "./cleaning/CleaningTab";
import { useTypeText } from "./data-types";
import { refOf } from "./dataset-actions";
import { DatasetJobs } from "./DatasetJobs";
import { ExportsTab } from "./exports/ExportsTab";
import { FilesTab } from "./FilesTab";
import { ImportsTab } from "./imports/ImportsTab";
import { ItemsTab } from "./items/ItemsTab";
import { LabelsTab } from "./labels/LabelsTab";
import { datasetQuery, datasetVersionQuery, newestVersionsQuery } from "./queries";
import { StatisticsTab } from "./statistics/StatisticsTab";
import type { DatasetVersionView, DatasetView } from "./types";
import { CompareTab } from "./versions/CompareTab";
import { useVersionActions } from "./versions/version-actions";
import { WorkBadge } from "./versions/WorkBadge";
import styles from "./Datasets.module.css";

export default function VersionPage() {
  const { dataset = "", version = "" } = useParams();
  const project = useProjectName();
  const whole = useQuery(datasetQuery({ project, dataset }));
  // Without its dataset nothing can be said of a version: what keeps it away is shown instead.
  if (!whole.data) return <ThingPage<DatasetView> query={whole} render={({ name, id }) => ({ name, id, tabs: [] })} />;
  return <Version dataset={whole.data} number={Number(version)} />;
}

function Version({ dataset, number }: { dataset: DatasetView; number: number }) {
  const { t } = useTranslation("datasets");
  const typeText = useTypeText();
  const format = useFormat();
  const tabsOf = useTabs();
  const ref = { ...refOf(dataset), version: number };
  const query = useQuery(datasetVersionQuery(ref));
  return (
    <ThingPage<DatasetVersionView>
      query={query}
      render={(version) => ({
        name: <Link to={datasetPath(ref)}>{dataset.name}</Link>,
        id: version.id,
        badge: (
          <>
            <VersionSelect dataset={dataset} version={version} />
            <WorkBadge work={version.work} />
          </>
        ),
        facts: (
          <>
            <span>{typeText(dataset)}</span>
            <span>{t("itemCount", { count: version.items, number: format.number(version.items) })}</span>
            <span>{format.bytes(version.size_bytes)}</span>
            <RelativeTime at={version.changed_at} />
            {version.items > 0 && dataset.annotation_type !== "none" && <Progress className={styles.headProgress} size="small" percent={Math.floor(version.progress)} aria-label={t("progressOf", { name: version.name })} />}
          </>
        ),
        description: version.note,
        actions: <Actions dataset={dataset} version={version} />,
        banner: <DatasetJobs dataset={ref} />,
        tabs: tabsOf(dataset, version),
      })}
    />
  );
}

function Actions({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { actions, dialog } = useVersionActions(dataset, version);
  const [first, ...rest] = actions;
  return (
    <>
      {first && (
        <Tooltip title={first.disabledReason}>
          <Button type="primary" icon={first.icon} disabled={first.disabledReason !== undefined} onClick={first.onClick}>
            {first.label}
          </Button>
        </Tooltip>
      )}
      <ActionButtons actions={rest} shown={2} />
      {dialog}
    </>
  );
}

function VersionSelect({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const ref = refOf(dataset);
  const newest = useQuery(newestVersionsQuery(ref));
  const items = newest.data?.items ?? [];
  const shown = items.some((item) => item.number === version.number) ? items : [...items, version];
  const hasMore = dataset.versions_count > items.length;
  const tab = params.get("tab");
  return (
    <Select<number>
      aria-label={t("chooseVersion")}
      value={version.number}
      popupMatchSelectWidth={280}
      options={[
        ...shown.map((item) => ({ value: item.number, label: t("versionNumber", { number: item.number }), work: item.work })),
        ...(hasMore ? [{ value: 0, label: t("showAll", { count: dataset.versions_count }), work: null }] : []),
      ]}
      optionRender={({ data, label }) => (
        <span className={styles.option}>
          {label}
          {data.work && <WorkBadge work={data.work} />}
        </span>
      )}
      onChange={(number) => void navigate(number === 0 ? datasetPath(ref) : `${datasetVersionPath({ ...ref, version: number })}${tab ? `?tab=${tab}` : ""}`)}
    />
  );
}

function useTabs(): (dataset: DatasetView, version: DatasetVersionView) => ThingTab[] {
  const { t } = useTranslation(["datasets", "auto", "evaluations"]);
  return (dataset, version) => {
    const isAnnotated = dataset.annotation_type !== "none";
    const parts = { dataset, version };
    return [
      { key: "items", label: t("tab.items"), content: <ItemsTab key={version.id} {...parts} /> },
      { key: "statistics", label: t("tab.statistics"), content: <StatisticsTab key={version.id} {...parts} /> },
      { key: "labels", label: t("tab.labels"), content: <LabelsTab key={version.id} {...parts} /> },
      ...(isAnnotated
        ? [
            { key: "auto", label: t("auto:tab"), content: <AutoTab key={version.id} {...parts} /> },
            ...(version.work === "draft" ? [{ key: "errors", label: t("auto:errors.tab"), content: <LabelErrorsTab key={version.id} {...parts} /> }] : []),
          ]
        : []),
      ...(version.work === "published" && isAnnotated ? [{ key: "evaluations", label: t("evaluations:tab.evaluations"), content: <EvaluationsTab key={version.id} project={dataset.project} dataset={`${dataset.name}@${version.number}`} /> }] : []),
      { key: "imports", label: t("tab.imports"), content: <ImportsTab key={version.id} {...parts} /> },
      { key: "exports", label: t("tab.exports"), content: <ExportsTab key={version.id} {...parts} /> },
      { key: "cleaning", label: t("tab.cleaning"), content: <CleaningTab key={version.id} {...parts} /> },
      { key: "compare", label: t("tab.compare"), content: <CompareTab key={version.id} {...parts} /> },
      { key: "files", label: t("tab.files"), content: <FilesTab key={version.id} {...parts} /> },
      { key: "lineage", label: t("tab.lineage"), content: <LineageTab key={version.id} asset={dataset} version={version} /> },
    ];
  };
}
