import { Alert, Button, Tag } from "antd";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { api, unwrap } from "@/api/client";
import type { RoleView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { ActionButtons } from "@/ui/ActionButtons";
import { Panel } from "@/ui/Facts";
import { useFailureText } from "@/ui/failure-text";
import { useNotify } from "@/ui/notify";
import { ThingPage } from "@/ui/ThingPage";
import { PermissionMatrix } from "./PermissionMatrix";
import { useRoleActions } from "./role-actions";
import { rolePath, roleQuery, rolesKey, useRoleTexts } from "./roles";
import styles from "./Roles.module.css";

export default function RolePage() {
  const { t } = useTranslation("roles");
  const { role: name = "" } = useParams();
  const navigate = useNavigate();
  const texts = useRoleTexts();
  const { actionsOf, dialog } = useRoleActions({
    onDeleted: () => navigate("/admin/roles"),
    onSaved: (role) => navigate(rolePath(role.name), { replace: true }),
  });
  return (
    <>
      <ThingPage<RoleView>
        query={useQuery(roleQuery(name))}
        render={(role) => ({
          name: texts.nameOf(role),
          id: role.id,
          badge: role.builtin && <Tag>{t("isBuiltin")}</Tag>,
          description: texts.descriptionOf(role),
          actions: <ActionButtons actions={actionsOf(role)} shown={3} />,
          tabs: [{ key: "permissions", label: t("permissions"), content: <Permissions key={role.id} role={role} /> }],
        })}
      />
      {dialog}
    </>
  );
}

function Permissions({ role }: { role: RoleView }) {
  const { t } = useTranslation(["roles", "common"]);
  const canWrite = usePermission("role.write") && !role.builtin;
  const client = useQueryClient();
  const notify = useNotify();
  const failureText = useFailureText();
  const [chosen, setChosen] = useState(role.permissions);
  const save = useMutation({
    mutationFn: () => unwrap(api.PATCH("/api/v1/roles/{role}", { params: { path: { role: role.id } }, body: { permissions: chosen } })),
    onSuccess: (saved) => {
      setChosen(saved.permissions);
      notify.done(t("common:saved"));
      return client.invalidateQueries({ queryKey: rolesKey });
    },
  });
  const isChanged = chosen.length !== role.permissions.length || chosen.some((one) => !role.permissions.includes(one));
  const problem = save.error && failureText(save.error);
  return (
    <Panel title={t("permissions")}>
      {role.scope === "platform" && <PermissionMatrix scope="platform" value={chosen} isReadOnly />}
      {role.scope === "platform" && <div style={{ height: 16 }} />}
      <PermissionMatrix scope="project" value={chosen} onChange={setChosen} isReadOnly={!canWrite} />
      {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} style={{ marginTop: 16 }} />}
      {canWrite && (
        <div className={styles.bar}>
          <Button type="primary" disabled={!isChanged} loading={save.isPending} onClick={() => save.mutate()}>
            {t("common:action.save")}
          </Button>
          <span className="tm-muted">{isChanged ? t("common:unsaved") : t("common:nothingChanged")}</span>
        </div>
      )}
    </Panel>
  );
}
