import { Form } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { RoleView } from "@/api/types";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { PermissionMatrix } from "./PermissionMatrix";
import { rolesKey } from "./roles";

interface RoleFormProps {
  /** Starts with this role's permissions. */
  copyOf?: RoleView;
  onClose: () => void;
  onSaved: (role: RoleView) => void;
}

interface CreateValues {
  name: string;
  description: string;
  permissions: string[];
}

export function RoleCreateForm({ copyOf, onClose, onSaved }: RoleFormProps) {
  const { t } = useTranslation("roles");
  const client = useQueryClient();
  return (
    <FormModal<CreateValues>
      title={t("create")}
      submitText={t("create")}
      width={760}
      initialValues={{ name: "", description: "", permissions: copyOf?.permissions ?? ["project.read"] }}
      onSubmit={async (body) => {
        const role = await unwrap(api.POST("/api/v1/roles", { body }));
        await client.invalidateQueries({ queryKey: rolesKey });
        onSaved(role);
      }}
      onClose={onClose}
    >
      <NameField />
      <DescriptionField placeholder={t("descriptionHint")} />
      <Form.Item name="permissions" label={t("permissions")} rules={[{ required: true, type: "array", min: 1, message: t("chooseOne") }]}>
        <PermissionMatrix scope="project" />
      </Form.Item>
    </FormModal>
  );
}

export function RoleEditForm({ role, onClose, onSaved }: { role: RoleView; onClose: () => void; onSaved: (role: RoleView) => void }) {
  const { t } = useTranslation(["roles", "common"]);
  return (
    <FormModal<{ name: string; description: string }>
      title={t("edit", { name: role.name })}
      submitText={t("common:action.save")}
      initialValues={{ name: role.name, description: role.description }}
      onSubmit={async (body) => onSaved(await unwrap(api.PATCH("/api/v1/roles/{role}", { params: { path: { role: role.id } }, body })))}
      onClose={onClose}
    >
      <NameField />
      <DescriptionField placeholder={t("descriptionHint")} />
    </FormModal>
  );
}
