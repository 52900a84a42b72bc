/** Measuring models on labelled data: one evaluation for each model that is chosen. */
import { Form, InputNumber, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ModelsPicker } from "@/features/models/ModelPicker";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { CommandLine } from "@/ui/CommandLine";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { createEvaluation } from "./api";
import { evaluateCommand } from "./commands";
import type { EvaluateValues } from "./commands";
import { COMPARED_MAX } from "./EvaluationList";
import { evaluationPath, evaluationsPath, useRefreshEvaluations } from "./queries";

interface EvaluateFormProps {
  project: string;
  model?: string;
  dataset?: string;
  onClose: () => void;
}

export function EvaluateForm({ project, model, dataset, onClose }: EvaluateFormProps) {
  const { t } = useTranslation("evaluations");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshEvaluations();
  const submit = async ({ model: models, dataset: on, part, threshold, spec }: EvaluateValues) => {
    const made = [];
    for (const one of models) made.push(await createEvaluation(project, { model: one, dataset: on ?? "", part, threshold: threshold ?? 0.5, spec: spec ?? null }));
    notify.done(t("evaluate.started", { count: made.length }));
    void refresh();
    const [first] = made;
    void navigate(made.length === 1 && first ? evaluationPath(project, first.id) : evaluationsPath(project));
  };
  return (
    <FormModal<EvaluateValues>
      title={t("evaluate.title")}
      submitText={t("evaluate.submit")}
      width={600}
      initialValues={{ model: model ? [model] : [], dataset: dataset ?? null, part: "test", threshold: 0.5, spec: null }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item name="model" label={t("evaluate.models")} required extra={t("evaluate.modelsHint")} rules={[{ required: true, type: "array", min: 1, message: t("evaluate.modelMissing") }]}>
        <ModelsPicker project={project} most={COMPARED_MAX} can={(facts) => facts.can_evaluate} />
      </Form.Item>
      <Form.Item name="dataset" label={t("evaluate.dataset")} required extra={t("evaluate.datasetHint")} rules={[{ required: true, message: t("evaluate.datasetMissing") }]}>
        <AssetVersionSelect project={project} kind="datasets" />
      </Form.Item>
      <Form.Item name="part" label={t("evaluate.part")} required extra={t("evaluate.partHint")}>
        <Radio.Group
          optionType="button"
          options={[
            { value: "test", label: t("part.test") },
            { value: "all", label: t("part.all") },
          ]}
        />
      </Form.Item>
      <Form.Item name="threshold" label={t("threshold.title")} extra={t("evaluate.thresholdHint")} rules={[{ type: "number", min: 0, max: 1, message: t("evaluate.thresholdWrong") }]}>
        <InputNumber step={0.05} style={{ width: 120 }} />
      </Form.Item>
      <Form.Item name="spec" label={t("evaluate.spec")}>
        <SpecSelect placeholder={t("evaluate.specDefault")} />
      </Form.Item>
      <Command />
    </FormModal>
  );
}

function Command() {
  const { t } = useTranslation("common");
  const values = Form.useWatch([], Form.useFormInstance<EvaluateValues>()) as EvaluateValues | undefined;
  return values ? <CommandLine label={t("make.command")} text={evaluateCommand(values)} /> : null;
}
