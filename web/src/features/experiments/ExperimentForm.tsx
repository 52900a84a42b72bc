import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { DescriptionField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { createExperiment, updateExperiment } from "./api";
import { useRefreshExperiments } from "./queries";
import type { ExperimentView } from "./types";

const NAME_MAX = 500;

interface ExperimentFormProps {
  project: string;
  /** The one that is changed; a new one without. */
  experiment?: ExperimentView;
  onClose: () => void;
  onDone?: (experiment: ExperimentView) => void;
}

interface Values {
  name: string;
  description: string;
}

export function ExperimentForm({ project, experiment, onClose, onDone }: ExperimentFormProps) {
  const { t } = useTranslation(["experiments", "common"]);
  const refresh = useRefreshExperiments();
  const submit = async ({ name, description }: Values) => {
    const done = experiment ? await updateExperiment({ project, experiment: experiment.id }, { name, description }) : await createExperiment(project, { name, description });
    await refresh();
    onDone?.(done);
  };
  return (
    <FormModal<Values>
      title={experiment ? t("editTitle", { name: experiment.name }) : t("create")}
      submitText={experiment ? t("common:action.save") : t("common:action.create")}
      initialValues={{ name: experiment?.name ?? "", description: experiment?.description ?? "" }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item name="name" label={t("common:field.name")} rules={[{ required: true, whitespace: true, message: t("nameNeeded") }]}>
        <Input maxLength={NAME_MAX} autoFocus />
      </Form.Item>
      <DescriptionField />
    </FormModal>
  );
}
