import { PlayCircleOutlined, PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listTasks } from "./api";
import { runPath, taskPath, tasksKey } from "./queries";
import { useTaskActions } from "./task-actions";
import type { TaskView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";

export default function TasksPage() {
  const { t } = useTranslation(["training", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "training.write");
  const { actionsOf, start, dialog } = useTaskActions(project);
  const columns = useColumns(project, canWrite ? (task) => void start(task) : null);
  const create = canWrite && (
    <Link to={projectPath(project, "training", "new")}>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} tabIndex={-1}>
        {t("create")}
      </Button>
    </Link>
  );
  return (
    <>
      <ListPage<TaskView>
        listKey="tasks"
        queryKey={tasksKey(project)}
        load={(query) => listTasks(project, query)}
        title={t("title")}
        description={t("text")}
        columns={columns}
        keyOf={(task) => task.id}
        nameOf={(task) => task.name}
        filters={[{ kind: "toggle", key: "mine", label: t("common:list.onlyMine") }]}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {dialog}
    </>
  );
}

function useColumns(project: string, start: ((task: TaskView) => void) | null): ListColumn<TaskView>[] {
  const { t } = useTranslation(["training", "common"]);
  const format = useFormat();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (task) => (
        <>
          <Link to={taskPath(project, task.name)}>{task.name}</Link>
          {task.description && <div className={surfaces.small}>{task.description}</div>}
        </>
      ),
    },
    {
      key: "last",
      title: t("lastRun"),
      render: (task) =>
        task.last_run ? (
          <span className={surfaces.line}>
            <WorkloadState of={task.last_run} />
            <Link to={runPath(project, { task: task.name, name: task.last_run.name })}>{t("runNumber", { number: task.last_run.number })}</Link>
          </span>
        ) : (
          <span className="tm-muted">{t("neverRun")}</span>
        ),
    },
    { key: "runs", title: t("runs"), align: "right", render: (task) => format.number(task.runs_count) },
    { key: "algorithm", title: t("field.algorithm"), render: (task) => task.algorithm ?? <span className="tm-muted">–</span> },
    { key: "spec", title: t("field.spec"), render: (task) => task.spec ?? <span className="tm-muted">{t("defaultSpec")}</span> },
    { key: "nodes", title: t("field.nodes"), align: "right", isHidden: true, render: (task) => format.number(task.nodes) },
    { key: "image", title: t("field.image"), isHidden: true, render: (task) => task.image ?? <span className="tm-muted">–</span> },
    { key: "updated", title: t("common:field.updatedAt"), sort: "updated_at", render: (task) => <RelativeTime at={task.updated_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (task) => task.created_by },
    ...(start
      ? [
          {
            key: "start",
            title: t("start"),
            render: (task: TaskView) => (
              <Button size="small" icon={<PlayCircleOutlined aria-hidden />} aria-label={t("startNamed", { name: task.name })} onClick={() => start(task)}>
                {t("start")}
              </Button>
            ),
          },
        ]
      : []),
  ];
}
