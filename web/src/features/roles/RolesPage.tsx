import { PlusOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import type { RoleView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { NameLine } from "@/ui/NameLine";
import { RelativeTime } from "@/ui/RelativeTime";
import { useRoleActions } from "./role-actions";
import { RoleCreateForm } from "./RoleForm";
import { loadRoles, rolePath, rolesKey, useRoleTexts } from "./roles";

export default function RolesPage() {
  const { t } = useTranslation("roles");
  const navigate = useNavigate();
  const canWrite = usePermission("role.write");
  const [isCreating, setCreating] = useState(false);
  const open = (role: RoleView) => navigate(rolePath(role.name));
  const { actionsOf, dialog } = useRoleActions({ onSaved: open });
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<RoleView>
        listKey="roles"
        queryKey={rolesKey}
        load={loadRoles}
        title={t("title")}
        description={t("text")}
        columns={useColumns()}
        keyOf={(role) => role.id}
        nameOf={(role) => role.name}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), action: create }}
      />
      {isCreating && <RoleCreateForm onClose={() => setCreating(false)} onSaved={open} />}
      {dialog}
    </>
  );
}

function useColumns(): ListColumn<RoleView>[] {
  const { t } = useTranslation(["roles", "common"]);
  const texts = useRoleTexts();
  const format = useFormat();
  return [
    {
      key: "name",
      title: t("common:field.name"),
      sort: "name",
      render: (role) => (
        <NameLine>
          <Link to={rolePath(role.name)}>{texts.nameOf(role)}</Link>
          {role.builtin && <Tag>{t("isBuiltin")}</Tag>}
        </NameLine>
      ),
    },
    { key: "description", title: t("common:field.description"), render: (role) => texts.descriptionOf(role) || <span className="tm-muted">–</span> },
    { key: "scope", title: t("scope"), render: (role) => t(`scopes.${role.scope}`) },
    { key: "permissions", title: t("permissions"), align: "right", render: (role) => format.number(role.permissions.length) },
    { key: "members", title: t("members"), align: "right", render: (role) => format.number(role.members_count) },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", isHidden: true, render: (role) => <RelativeTime at={role.created_at} /> },
  ];
}
