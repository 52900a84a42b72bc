import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form } from "antd";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { api, unwrap } from "@/api/client";
import type { GroupView, UserView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { UserSelect } from "@/features/users/UserSelect";
import { userPath } from "@/features/users/users";
import { ActionButtons } from "@/ui/ActionButtons";
import { FormModal } from "@/ui/form/FormModal";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { ThingPage } from "@/ui/ThingPage";
import { useGroupActions } from "./group-actions";
import { addToGroup, groupPath, groupQuery, groupsKey, removeFromGroup } from "./groups";

export default function GroupPage() {
  const { t } = useTranslation("groups");
  const { group: name = "" } = useParams();
  const navigate = useNavigate();
  const { actionsOf, dialog } = useGroupActions({
    onDeleted: () => navigate("/admin/groups"),
    onRenamed: (group) => navigate(groupPath(group.name), { replace: true }),
  });
  return (
    <>
      <ThingPage<GroupView>
        query={useQuery(groupQuery(name))}
        render={(group) => ({
          name: group.name,
          id: group.id,
          description: group.description,
          actions: <ActionButtons actions={actionsOf(group)} />,
          tabs: [{ key: "members", label: t("members"), content: <Members group={group} /> }],
        })}
      />
      {dialog}
    </>
  );
}

function Members({ group }: { group: GroupView }) {
  const { t } = useTranslation(["groups", "users"]);
  const canWrite = usePermission("group.write");
  const client = useQueryClient();
  const notify = useNotify();
  const [isAdding, setAdding] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: groupsKey });
  const columns: ListColumn<UserView>[] = [
    { key: "name", title: t("users:name"), render: (user) => <Link to={userPath(user.name)}>{user.name}</Link> },
    { key: "display", title: t("users:displayName"), render: (user) => user.display_name || <span className="tm-muted">–</span> },
  ];
  const bulkActions: BulkAction<UserView>[] = [
    { key: "remove", label: t("remove"), icon: <DeleteOutlined aria-hidden />, isDanger: true, confirmTitle: (rows) => t("removeMany", { count: rows.length }), run: (user) => removeFromGroup(group.id, user.name) },
  ];
  const add = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <ListPage<UserView>
        listKey="group-members"
        queryKey={[...groupsKey, "members", group.id]}
        load={({ q, sort, limit, cursor }) => unwrap(api.GET("/api/v1/groups/{group}/members", { params: { path: { group: group.id }, query: { q, sort, limit, cursor } } }))}
        columns={columns}
        keyOf={(user) => user.id}
        nameOf={(user) => user.name}
        primaryAction={add}
        bulkActions={canWrite ? bulkActions : []}
        rowActions={
          canWrite
            ? (user) => [{ key: "remove", label: t("remove"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: () => void removeFromGroup(group.id, user.name).then(refresh, notify.failed) }]
            : undefined
        }
        empty={{ title: t("noMembers"), text: t("noMembersText"), action: add }}
      />
      {isAdding && <AddMembers group={group} onClose={() => setAdding(false)} onAdded={() => void refresh()} />}
    </>
  );
}

function AddMembers({ group, onClose, onAdded }: { group: GroupView; onClose: () => void; onAdded: () => void }) {
  const { t } = useTranslation("groups");
  return (
    <FormModal<{ users: string[] }>
      title={t("addTo", { name: group.name })}
      submitText={t("add")}
      initialValues={{ users: [] }}
      onSubmit={async ({ users }) => {
        for (const user of users) await addToGroup(group.id, user);
        onAdded();
      }}
      onClose={onClose}
    >
      <Form.Item name="users" label={t("users")} required rules={[{ required: true, type: "array", min: 1, message: t("chooseUsers") }]}>
        <UserSelect />
      </Form.Item>
    </FormModal>
  );
}
