import { PlayCircleOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Progress } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Scene } from "@/features/assets/kinds";
import { useSceneOptions, useSceneText } from "@/features/assets/texts";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { isEnded, STATES } from "@/features/workloads/states";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listInferences } from "./api";
import { useInferenceActions } from "./inference-actions";
import { FORMS } from "./inference-values";
import { entriesKey, entryPath, newEntryPath, runPath } from "./queries";
import { useLookedAt } from "./looked-at";
import type { InferenceView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Inference.module.css";

export default function InferencesPage() {
  const { t } = useTranslation(["inference", "workloads", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "inference.write");
  const { actionsOf, start, dialog } = useInferenceActions(project);
  const scenes = useSceneOptions();
  const columns = useColumns(project, canWrite ? (entry) => void start(entry) : null);
  const create = canWrite && (
    <Link to={newEntryPath(project)}>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} tabIndex={-1}>
        {t("create")}
      </Button>
    </Link>
  );
  return (
    <>
      <ListPage<InferenceView>
        listKey="inferences"
        queryKey={entriesKey(project)}
        load={(query) => listInferences(project, query)}
        title={t("title")}
        description={t("text")}
        columns={columns}
        keyOf={(entry) => entry.id}
        nameOf={(entry) => entry.name}
        filters={[
          { kind: "select", key: "form", label: t("field.form"), options: FORMS.map((value) => ({ value, label: t(`form.${value}`) })) },
          { kind: "select", key: "scene", label: t("field.scene"), options: scenes },
          { kind: "select", key: "state", label: t("lastState"), options: STATES.map((value) => ({ value, label: t(`workloads:state.${value}`) })) },
          { kind: "toggle", key: "mine", label: t("common:list.onlyMine") },
        ]}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {dialog}
    </>
  );
}

function useColumns(project: string, start: ((entry: InferenceView) => void) | null): ListColumn<InferenceView>[] {
  const { t } = useTranslation(["inference", "common"]);
  const format = useFormat();
  const sceneText = useSceneText();
  const lookedAt = useLookedAt();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (entry) => (
        <>
          <Link to={entryPath(project, entry.name)}>{entry.name}</Link>
          {entry.description && <div className={surfaces.small}>{entry.description}</div>}
        </>
      ),
    },
    { key: "last", title: t("lastRun"), render: (entry) => <LastRun project={project} entry={entry} /> },
    { key: "runs", title: t("runs"), align: "right", render: (entry) => format.number(entry.runs_count) },
    { key: "form", title: t("field.form"), render: (entry) => t(`form.${entry.form}`) },
    { key: "what", title: t("field.what"), render: (entry) => lookedAt(entry.settings) },
    { key: "scene", title: t("field.scene"), render: (entry) => sceneText(entry.scene as Scene) },
    { key: "spec", title: t("field.spec"), isHidden: true, render: (entry) => entry.settings.spec ?? <span className="tm-muted">{t("defaultSpec")}</span> },
    { key: "updated", title: t("common:field.updatedAt"), sort: "updated_at", render: (entry) => <RelativeTime at={entry.updated_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (entry) => entry.created_by },
    ...(start
      ? [
          {
            key: "start",
            title: t("start"),
            render: (entry: InferenceView) => (
              <Button size="small" icon={<PlayCircleOutlined aria-hidden />} aria-label={t("startNamed", { name: entry.name })} onClick={() => start(entry)}>
                {t("start")}
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function LastRun({ project, entry }: { project: string; entry: InferenceView }) {
  const { t } = useTranslation("inference");
  const last = entry.last_run;
  if (!last) return <span className="tm-muted">{t("neverRun")}</span>;
  return (
    <span className={surfaces.line}>
      <WorkloadState of={last} />
      <Link to={runPath(project, entry.name, last.number)}>{t("runNumber", { number: last.number })}</Link>
      {!isEnded(last.state) && last.progress !== null && <Progress className={styles.little} size="small" percent={Math.floor(last.progress)} aria-label={t("progress.of", { name: last.name })} />}
    </span>
  );
}
