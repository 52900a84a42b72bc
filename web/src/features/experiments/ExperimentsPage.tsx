import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listExperiments } from "./api";
import { useExperimentActions } from "./experiment-actions";
import { ExperimentForm } from "./ExperimentForm";
import { HowToLogFolded } from "./HowToLog";
import { experimentPath, experimentsKey } from "./queries";
import type { ExperimentView } from "./types";
import styles from "./Experiments.module.css";

export default function ExperimentsPage() {
  const { t } = useTranslation(["experiments", "common"]);
  const project = useProjectName();
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "training.write");
  const { actionsOf, dialog } = useExperimentActions(project);
  const [isMaking, setMaking] = useState(false);
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setMaking(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<ExperimentView>
        listKey="experiments"
        queryKey={experimentsKey(project)}
        load={(query) => listExperiments(project, query)}
        title={t("title")}
        description={t("text")}
        columns={useColumns(project)}
        keyOf={(one) => one.id}
        nameOf={(one) => one.name}
        filters={[{ kind: "toggle", key: "deleted", label: t("onlyDeleted") }]}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      <HowToLogFolded project={project} />
      {isMaking && <ExperimentForm project={project} onClose={() => setMaking(false)} onDone={(made) => void navigate(experimentPath(project, made.id))} />}
      {dialog}
    </>
  );
}

function useColumns(project: string): ListColumn<ExperimentView>[] {
  const { t } = useTranslation(["experiments", "common"]);
  const format = useFormat();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (one) => (
        <>
          <Link to={experimentPath(project, one.id)}>{one.name}</Link>
          {one.description && <div className={styles.small}>{one.description}</div>}
        </>
      ),
    },
    { key: "runs", title: t("runs"), align: "right", render: (one) => format.number(one.runs_count) },
    { key: "updated", title: t("lastRun"), sort: "updated_at", render: (one) => <RelativeTime at={one.updated_at} /> },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", isHidden: true, render: (one) => <RelativeTime at={one.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), render: (one) => one.created_by },
  ];
}
