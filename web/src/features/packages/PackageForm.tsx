import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useSceneOptions } from "@/features/assets/texts";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { createPackage } from "./api";
import type { PackageCreate, PackageView } from "./types";

interface PackageFormProps {
  project: string;
  onCreated: (made: PackageView) => void;
  onClose: () => void;
}

export function PackageForm({ project, onCreated, onClose }: PackageFormProps) {
  const { t } = useTranslation(["packages", "assets"]);
  const scenes = useSceneOptions();
  return (
    <FormModal<PackageCreate>
      title={t("create")}
      submitText={t("createNext")}
      initialValues={{ name: "", description: "" }}
      onSubmit={async (values) => onCreated(await createPackage(project, values))}
      onClose={onClose}
    >
      <NameField hint={t("assets:nameHint")} />
      <Form.Item name="scene" label={t("assets:sceneLabel")} required rules={[{ required: true, message: t("assets:sceneMissing") }]}>
        <Select placeholder={t("assets:scenePlaceholder")} options={scenes} showSearch={{ optionFilterProp: "label" }} />
      </Form.Item>
      <DescriptionField />
    </FormModal>
  );
}
