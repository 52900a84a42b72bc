import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { ProjectView } from "@/api/types";
import { NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";

interface RestoreFormProps {
  project: ProjectView;
  onClose: () => void;
  onRestored: (project: ProjectView) => void;
}

/** The name can be changed, because another project may have taken it in the meantime. */
export function RestoreForm({ project, onClose, onRestored }: RestoreFormProps) {
  const { t } = useTranslation("projects");
  return (
    <FormModal<{ name: string }>
      title={t("restore.title", { name: project.name })}
      submitText={t("restore.action")}
      initialValues={{ name: project.name }}
      onSubmit={async ({ name }) =>
        onRestored(await unwrap(api.POST("/api/v1/projects/{project}/restore", { params: { path: { project: project.id } }, body: { name } })))
      }
      onClose={onClose}
    >
      <NameField hint={t("restore.nameHint")} />
    </FormModal>
  );
}
