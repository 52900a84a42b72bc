/** With code: a command of one's own, with its files, as a training task has them. */
import { Form, InputNumber, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { PairsField } from "@/features/training/PairsField";
import { CommandField, PARAMETER, VARIABLE } from "@/features/training/TaskFields";
import { AssetVersionList, AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { ImageSelect } from "@/features/workloads/ImageSelect";
import { FieldGroup } from "@/ui/MakePage";
import surfaces from "@/ui/Surfaces.module.css";

const LAUNCHERS = ["command", "torchrun", "mpirun"] as const;
const EXAMPLE = "python infer.py";
const NODES_MAX = 1024;
const RETRIES_MAX = 20;

export function CodeFields({ project }: { project: string }) {
  const { t } = useTranslation(["inference", "training"]);
  return (
    <>
      <FieldGroup title={t("training:form.what")} text={t("training:form.whatText")}>
        <Form.Item name="algorithm" label={t("training:field.algorithm")} extra={t("training:form.algorithmHint")}>
          <AssetVersionSelect project={project} kind="algorithms" placeholder={t("training:form.algorithmNone")} />
        </Form.Item>
        <CommandField placeholder={EXAMPLE} />
        <PairsField name="parameters" pattern={PARAMETER} />
        <Form.Item name="image" label={t("training:field.image")}>
          <ImageSelect project={project} />
        </Form.Item>
      </FieldGroup>
      <FieldGroup title={t("make.files")} text={t("make.filesText")}>
        <Form.Item name="datasets" label={t("training:field.datasets")} extra={t("training:form.datasetsHint")}>
          <AssetVersionList project={project} kind="datasets" addText={t("training:form.datasetsAdd")} />
        </Form.Item>
        <Form.Item name="models" label={t("field.models")} extra={t("training:form.modelsHint")}>
          <AssetVersionList project={project} kind="models" addText={t("training:form.modelsAdd")} />
        </Form.Item>
      </FieldGroup>
    </>
  );
}

export function CodeMoreFields() {
  const { t } = useTranslation("training");
  return (
    <>
      <Form.Item name="launcher" required label={t("field.launcher")}>
        <Radio.Group optionType="button" options={LAUNCHERS.map((value) => ({ value, label: t(`launcher.${value}`) }))} />
      </Form.Item>
      <div className={surfaces.two}>
        <Form.Item name="nodes" required label={t("field.nodes")} rules={[{ required: true, message: t("form.numberMissing") }]}>
          <InputNumber min={1} max={NODES_MAX} precision={0} style={{ width: "100%" }} />
        </Form.Item>
        <Form.Item name="retries" required label={t("field.retries")} rules={[{ required: true, message: t("form.numberMissing") }]}>
          <InputNumber min={0} max={RETRIES_MAX} precision={0} style={{ width: "100%" }} />
        </Form.Item>
      </div>
      <PairsField name="environment" pattern={VARIABLE} />
    </>
  );
}
