import { DeleteOutlined, EditOutlined, PlusOutlined, TeamOutlined, UserOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { MembershipView } from "@/api/types";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { projectsKey } from "@/features/projects/projects";
import { useRoleTexts } from "@/features/roles/roles";
import { useConfirm } from "@/ui/confirm";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn, RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { MemberAddForm, MemberRoleForm } from "./MemberForms";

export default function MembersPage() {
  const { t } = useTranslation(["members", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "member.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<MembershipView | null>(null);

  const remove = (member: MembershipView) => unwrap(api.DELETE("/api/v1/projects/{project}/members/{membership}", { params: { path: { project, membership: member.id } } }));
  const changed = async (text: string) => {
    await Promise.all([client.invalidateQueries({ queryKey: ["members", project] }), client.invalidateQueries({ queryKey: projectsKey })]);
    notify.done(text);
  };
  const rowActions = (member: MembershipView): RowAction[] => [
    { key: "role", label: t("changeRole"), icon: <EditOutlined aria-hidden />, onClick: () => setEdited(member) },
    {
      key: "remove",
      label: t("remove"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      onClick: () =>
        confirm({
          title: t("removeTitle", { name: member.name, project }),
          text: t("removeText"),
          okText: t("remove"),
          onConfirm: async () => {
            await remove(member);
            await changed(t("removed", { name: member.name }));
          },
        }),
    },
  ];
  const bulkActions: BulkAction<MembershipView>[] = [
    { key: "remove", label: t("remove"), icon: <DeleteOutlined aria-hidden />, isDanger: true, confirmTitle: (rows) => t("removeMany", { count: rows.length }), run: remove },
  ];
  const add = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <ListPage<MembershipView>
        listKey="members"
        queryKey={["members", project]}
        load={({ q, sort, limit, cursor }) => unwrap(api.GET("/api/v1/projects/{project}/members", { params: { path: { project }, query: { q, sort, limit, cursor } } }))}
        title={t("title")}
        description={t("text")}
        columns={useColumns()}
        keyOf={(member) => member.id}
        nameOf={(member) => member.name}
        primaryAction={add}
        rowActions={canWrite ? rowActions : undefined}
        bulkActions={canWrite ? bulkActions : []}
        empty={{ title: t("empty"), text: t("emptyText"), action: add }}
      />
      {isAdding && <MemberAddForm project={project} onClose={() => setAdding(false)} onSaved={(name) => void changed(t("added", { name }))} />}
      {edited && <MemberRoleForm project={project} member={edited} onClose={() => setEdited(null)} onSaved={() => void changed(t("common:saved"))} />}
    </>
  );
}

function useColumns(): ListColumn<MembershipView>[] {
  const { t } = useTranslation(["members", "common", "users"]);
  const roles = useRoleTexts();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      render: (member) => (
        <span>
          {member.subject_kind === "user" ? <UserOutlined aria-label={t("kind.user")} /> : <TeamOutlined aria-label={t("kind.group")} />} {member.name}
        </span>
      ),
    },
    { key: "display", title: t("users:displayName"), render: (member) => member.display_name || <span className="tm-muted">–</span> },
    { key: "kind", title: t("kindLabel"), render: (member) => t(`kind.${member.subject_kind}`) },
    { key: "role", title: t("role"), render: (member) => roles.nameOf(member.role) },
    { key: "created", title: t("since"), sort: "created_at", render: (member) => <RelativeTime at={member.created_at} /> },
    { key: "by", title: t("addedBy"), render: (member) => member.created_by },
  ];
}
