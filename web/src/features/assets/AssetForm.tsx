import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { createAsset } from "./api";
import type { KindDeclaration, PlainKind } from "./kinds";
import { useSceneOptions } from "./texts";
import type { AssetCreate, AssetView } from "./types";

interface AssetFormProps {
  project: string;
  declaration: KindDeclaration<PlainKind>;
  onCreated: (asset: AssetView) => void;
  onClose: () => void;
}

export function AssetForm({ project, declaration, onCreated, onClose }: AssetFormProps) {
  const { t } = useTranslation(["assets", "common"]);
  const scenes = useSceneOptions();
  return (
    <FormModal<AssetCreate>
      title={t(`${declaration.kind}.create`)}
      submitText={t("common:action.create")}
      initialValues={{ name: "", description: "" }}
      onSubmit={async (values) => onCreated(await createAsset(project, declaration.segment, values))}
      onClose={onClose}
    >
      <NameField hint={t("nameHint")} />
      <Form.Item name="scene" label={t("sceneLabel")} required extra={t("nameHintScene")} rules={[{ required: true, message: t("sceneMissing") }]}>
        <Select placeholder={t("scenePlaceholder")} options={scenes} showSearch={{ optionFilterProp: "label" }} />
      </Form.Item>
      <DescriptionField />
    </FormModal>
  );
}
