import { DeleteOutlined, PlusOutlined, PoweroffOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { UserView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn, ListFilter } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { useUserActions } from "./user-actions";
import { UserKindTag, UserStateBadge } from "./UserBadges";
import { UserCreateForm } from "./UserForms";
import { deleteUser, loadUsers, setDisabled, USER_KINDS, userPath, usersKey } from "./users";

export default function UsersPage() {
  const { t } = useTranslation(["users", "common"]);
  const canWrite = usePermission("user.write");
  const client = useQueryClient();
  const notify = useNotify();
  const [isCreating, setCreating] = useState(false);
  const { actionsOf, dialog } = useUserActions();
  const filters: ListFilter[] = [
    { kind: "select", key: "kind", label: t("kindLabel"), options: USER_KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) })) },
  ];
  const bulkActions: BulkAction<UserView>[] = [
    { key: "disable", label: t("disable"), icon: <PoweroffOutlined aria-hidden />, confirmTitle: (rows) => t("bulk.disable", { count: rows.length }), run: (user) => setDisabled(user.name, true) },
    { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, confirmTitle: (rows) => t("bulk.delete", { count: rows.length }), run: (user) => deleteUser(user.name) },
  ];
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create.action")}
    </Button>
  );
  return (
    <>
      <ListPage<UserView>
        listKey="users"
        queryKey={usersKey}
        load={loadUsers}
        title={t("title")}
        description={t("text")}
        columns={useColumns()}
        keyOf={(user) => user.id}
        nameOf={(user) => user.name}
        filters={filters}
        searchLabel={t("search")}
        defaultSort="name"
        primaryAction={canWrite && create}
        rowActions={actionsOf}
        bulkActions={canWrite ? bulkActions : []}
        empty={{ title: t("empty"), text: t("emptyText"), action: canWrite && create }}
      />
      {isCreating && (
        <UserCreateForm
          onClose={() => setCreating(false)}
          onSaved={(user) => {
            notify.done(t("create.done", { name: user.name }));
            void client.invalidateQueries({ queryKey: usersKey });
          }}
        />
      )}
      {dialog}
    </>
  );
}

function useColumns(): ListColumn<UserView>[] {
  const { t } = useTranslation(["users", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("name"), sort: "name", render: (user) => <Link to={userPath(user.name)}>{user.name}</Link> },
    { key: "display_name", title: t("displayName"), render: (user) => user.display_name || <span className="tm-muted">–</span> },
    { key: "mail", title: t("common:field.mail"), render: (user) => user.mail || <span className="tm-muted">–</span> },
    { key: "kind", title: t("kindLabel"), render: (user) => <UserKindTag kind={user.kind} /> },
    { key: "state", title: t("common:field.state"), render: (user) => <UserStateBadge user={user} /> },
    { key: "projects", title: t("projects"), align: "right", render: (user) => format.number(user.projects_count) },
    { key: "seen", title: t("lastSeen"), sort: "last_seen_at", render: (user) => <RelativeTime at={user.last_seen_at} /> },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", isHidden: true, render: (user) => <RelativeTime at={user.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (user) => user.created_by },
  ];
}
