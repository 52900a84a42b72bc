import { DeleteOutlined, PlusOutlined, SettingOutlined, UndoOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import type { ProjectView } from "@/api/types";
import { meQuery, usePermission } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { useConfirm } from "@/ui/confirm";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter, RowAction } from "@/ui/list/types";
import { NameLine } from "@/ui/NameLine";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { projectPath } from "./current-project";
import { deleteProject, loadAllProjects, projectsKey } from "./projects";
import { RestoreForm } from "./RestoreForm";
import { StorageMeter } from "./StorageMeter";

export default function ProjectsPage() {
  const { t } = useTranslation("projects");
  const canCreate = usePermission("project.create");
  const { actionsOf, dialog } = useProjectActions();
  const filters: ListFilter[] = [{ kind: "toggle", key: "deleted", label: t("onlyDeleted") }];
  const create = canCreate && (
    <Link to="/admin/projects/new">
      <Button type="primary" icon={<PlusOutlined aria-hidden />}>
        {t("create")}
      </Button>
    </Link>
  );
  return (
    <>
      <ListPage<ProjectView>
        listKey="projects"
        queryKey={[...projectsKey, "all"]}
        load={loadAllProjects}
        title={t("title")}
        description={t("text")}
        columns={useColumns()}
        keyOf={(project) => project.id}
        nameOf={(project) => project.name}
        filters={filters}
        defaultSort="name"
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {dialog}
    </>
  );
}

function useProjectActions() {
  const { t } = useTranslation(["projects", "common"]);
  const navigate = useNavigate();
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [restored, setRestored] = useState<ProjectView | null>(null);
  const refresh = () => Promise.all([client.invalidateQueries({ queryKey: projectsKey }), client.invalidateQueries({ queryKey: meQuery.queryKey })]);

  const actionsOf = (project: ProjectView): RowAction[] => {
    if (project.deleted_at) return [{ key: "restore", label: t("restore.action"), icon: <UndoOutlined aria-hidden />, onClick: () => setRestored(project) }];
    return [
      { key: "settings", label: t("common:tab.settings"), icon: <SettingOutlined aria-hidden />, onClick: () => navigate(`${projectPath(project.name)}?tab=settings`) },
      {
        key: "delete",
        label: t("common:action.delete"),
        icon: <DeleteOutlined aria-hidden />,
        isDanger: true,
        disabledReason: project.is_public ? t("publicStays") : undefined,
        onClick: () =>
          confirm({
            title: t("delete.title", { name: project.name }),
            text: t("delete.text"),
            okText: t("delete.action"),
            typeName: project.name,
            onConfirm: async () => {
              await deleteProject(project.id);
              await refresh();
              notify.done(t("delete.done", { name: project.name }));
            },
          }),
      },
    ];
  };
  const dialog = restored && (
    <RestoreForm
      project={restored}
      onClose={() => setRestored(null)}
      onRestored={(project) => {
        void refresh();
        notify.done(t("restore.done", { name: project.name }));
      }}
    />
  );
  return { actionsOf, dialog };
}

function useColumns(): ListColumn<ProjectView>[] {
  const { t } = useTranslation(["projects", "common"]);
  const format = useFormat();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (project) => (
        <NameLine>
          {project.deleted_at ? project.name : <Link to={projectPath(project.name)}>{project.name}</Link>}
          {project.is_public && <Tag>{t("public")}</Tag>}
        </NameLine>
      ),
    },
    { key: "description", title: t("common:field.description"), isHidden: true, render: (project) => project.description || <span className="tm-muted">–</span> },
    { key: "members", title: t("members"), align: "right", render: (project) => format.number(project.members_count) },
    { key: "assets", title: t("assets"), align: "right", render: (project) => format.number(project.assets_count) },
    { key: "storage", title: t("storage"), width: 200, render: (project) => <StorageMeter project={project} isSmall /> },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (project) => <RelativeTime at={project.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), render: (project) => project.created_by },
    { key: "deleted", title: t("deletedAt"), isHidden: true, render: (project) => <RelativeTime at={project.deleted_at} /> },
  ];
}
