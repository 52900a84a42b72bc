import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import type { GroupView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { useGroupActions } from "./group-actions";
import { GroupForm } from "./GroupForm";
import { groupPath, groupsKey, loadGroups } from "./groups";

export default function GroupsPage() {
  const { t } = useTranslation(["groups", "common"]);
  const format = useFormat();
  const navigate = useNavigate();
  const canWrite = usePermission("group.write");
  const [isCreating, setCreating] = useState(false);
  const { actionsOf, dialog } = useGroupActions();
  const columns: ListColumn<GroupView>[] = [
    { key: "name", title: t("common:field.name"), sort: "name", render: (group) => <Link to={groupPath(group.name)}>{group.name}</Link> },
    { key: "description", title: t("common:field.description"), render: (group) => group.description || <span className="tm-muted">–</span> },
    { key: "members", title: t("members"), align: "right", render: (group) => format.number(group.members_count) },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (group) => <RelativeTime at={group.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), isHidden: true, render: (group) => group.created_by },
  ];
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<GroupView>
        listKey="groups"
        queryKey={groupsKey}
        load={loadGroups}
        title={t("title")}
        description={t("text")}
        columns={columns}
        keyOf={(group) => group.id}
        nameOf={(group) => group.name}
        defaultSort="name"
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {isCreating && <GroupForm onClose={() => setCreating(false)} onSaved={(group) => navigate(groupPath(group.name))} />}
      {dialog}
    </>
  );
}
