import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { GroupView } from "@/api/types";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";

interface GroupFormProps {
  group?: GroupView;
  onClose: () => void;
  onSaved: (group: GroupView) => void;
}

export function GroupForm({ group, onClose, onSaved }: GroupFormProps) {
  const { t } = useTranslation(["groups", "common"]);
  const save = (body: { name: string; description: string }) =>
    group ? api.PATCH("/api/v1/groups/{group}", { params: { path: { group: group.id } }, body }) : api.POST("/api/v1/groups", { body });
  return (
    <FormModal<{ name: string; description: string }>
      title={group ? t("edit", { name: group.name }) : t("create")}
      submitText={group ? t("common:action.save") : t("create")}
      initialValues={{ name: group?.name ?? "", description: group?.description ?? "" }}
      onSubmit={async (body) => onSaved(await unwrap<GroupView>(save(body)))}
      onClose={onClose}
    >
      <NameField />
      <DescriptionField placeholder={t("descriptionHint")} />
    </FormModal>
  );
}
