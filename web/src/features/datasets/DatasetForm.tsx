import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { createDataset } from "./api";
import { DATA_TYPES, FITTING } from "./data-types";
import type { AnnotationType, DatasetCreate, DatasetView, DataType } from "./types";

interface DatasetFormProps {
  project: string;
  onCreated: (dataset: DatasetView) => void;
  onClose: () => void;
}

export function DatasetForm({ project, onCreated, onClose }: DatasetFormProps) {
  const { t } = useTranslation(["datasets", "common"]);
  return (
    <FormModal<DatasetCreate>
      title={t("create.title")}
      submitText={t("common:action.create")}
      initialValues={{ name: "", description: "", data_type: "image", annotation_type: "detection" }}
      onSubmit={async (values) => onCreated(await createDataset(project, values))}
      onClose={onClose}
    >
      <NameField />
      <TypeFields />
      <DescriptionField />
    </FormModal>
  );
}

/** How data can be annotated depends on what it is. */
function TypeFields() {
  const { t } = useTranslation("datasets");
  const form = Form.useFormInstance<DatasetCreate>();
  const dataType = Form.useWatch("data_type", form) ?? "image";
  const changed = (next: DataType) => form.setFieldValue("annotation_type", FITTING[next][0]);
  return (
    <>
      <Form.Item name="data_type" label={t("dataTypeLabel")} required>
        <Select<DataType> options={DATA_TYPES.map((value) => ({ value, label: t(`dataType.${value}`) }))} onChange={changed} />
      </Form.Item>
      <Form.Item name="annotation_type" label={t("annotationTypeLabel")} required extra={t("create.typesFixed")}>
        <Select<AnnotationType>
          options={FITTING[dataType].map((value) => ({ value, label: t(`annotationType.${value}`), text: t(`annotationTypeText.${value}`) }))}
          optionRender={({ data }) => (
            <div>
              {data.label}
              <div className="tm-muted" style={{ fontSize: 12, whiteSpace: "normal" }}>
                {data.text}
              </div>
            </div>
          )}
        />
      </Form.Item>
    </>
  );
}
