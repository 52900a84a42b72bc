/** The fields of a task, by what they are about. */
import { Collapse, Form, Input, InputNumber, Radio, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { DeclaredParameters } from "@/features/models/manifest/DeclaredParameters";
import { AssetVersionList, AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { ImageSelect } from "@/features/workloads/ImageSelect";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { FORBIDDEN_IN_NAMES, NAME_MAX, nameProblem } from "@/lib/limits";
import { DurationInput } from "@/ui/form/DurationInput";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FieldGroup } from "@/ui/MakePage";
import { PairsField } from "./PairsField";
import { COMMAND_MAX } from "./task-values";
import type { TaskValues } from "./task-values";
import { WindowField } from "./WindowField";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Training.module.css";

const LAUNCHERS = ["command", "torchrun", "mpirun"] as const;
export const PRIORITIES = ["low", "normal", "high"] as const;
const NODES_MAX = 1024;
const PROCESSES_MAX = 256;
const RETRIES_MAX = 20;
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
export const PARAMETER = /^.{1,100}$/;

export function TaskFields({ project }: { project: string }) {
  const { t } = useTranslation("training");
  return (
    <>
      <FieldGroup title={t("form.about")}>
        <NameField />
        <DescriptionField placeholder={t("form.descriptionHint")} />
      </FieldGroup>
      <FieldGroup title={t("form.what")} text={t("form.whatText")}>
        <Form.Item name="algorithm" label={t("field.algorithm")} extra={t("form.algorithmHint")}>
          <AssetVersionSelect project={project} kind="algorithms" placeholder={t("form.algorithmNone")} />
        </Form.Item>
        <LauncherFields />
        <CommandField />
        <DeclaredParameters project={project} />
        <PairsField name="parameters" pattern={PARAMETER} />
      </FieldGroup>
      <FieldGroup title={t("form.where")} text={t("form.whereText")}>
        <Form.Item name="image" label={t("field.image")}>
          <ImageSelect project={project} />
        </Form.Item>
        <div className={surfaces.two}>
          <Form.Item name="spec" label={t("field.spec")} extra={t("form.specHint")}>
            <SpecSelect placeholder={t("defaultSpec")} />
          </Form.Item>
          <Form.Item name="nodes" required label={t("field.nodes")} extra={t("form.nodesHint")} rules={[{ required: true, message: t("form.numberMissing") }]}>
            <InputNumber min={1} max={NODES_MAX} precision={0} style={{ width: "100%" }} />
          </Form.Item>
        </div>
      </FieldGroup>
      <FieldGroup title={t("form.files")} text={t("form.filesText")}>
        <Form.Item name="datasets" label={t("field.datasets")} extra={t("form.datasetsHint")}>
          <AssetVersionList project={project} kind="datasets" addText={t("form.datasetsAdd")} />
        </Form.Item>
        <Form.Item name="models" label={t("field.models")} extra={t("form.modelsHint")}>
          <AssetVersionList project={project} kind="models" addText={t("form.modelsAdd")} />
        </Form.Item>
        <Form.Item name="inputs" label={t("field.inputs")} extra={t("form.inputsHint")}>
          <AssetVersionList project={project} kind="algorithms" addText={t("form.inputsAdd")} />
        </Form.Item>
        <SaveModelField />
      </FieldGroup>
      <Collapse className={styles.more} items={[{ key: "more", label: t("form.more"), forceRender: true, children: <MoreFields /> }]} />
    </>
  );
}

function LauncherFields() {
  const { t } = useTranslation("training");
  const launcher = Form.useWatch("launcher") as TaskValues["launcher"] | undefined;
  return (
    <>
      <Form.Item name="launcher" required label={t("field.launcher")} extra={launcher && t(`launcherHint.${launcher}`)}>
        <Radio.Group optionType="button" options={LAUNCHERS.map((value) => ({ value, label: t(`launcher.${value}`) }))} />
      </Form.Item>
      {launcher !== "command" && (
        <Form.Item name="processes_per_node" label={t("field.processes")} extra={t("form.processesHint")}>
          <InputNumber min={1} max={PROCESSES_MAX} precision={0} placeholder={t("form.processesAuto")} style={{ width: "100%" }} />
        </Form.Item>
      )}
    </>
  );
}

/** `placeholder`: for another command than one that trains. */
export function CommandField({ placeholder }: { placeholder?: string }) {
  const { t } = useTranslation("training");
  const launcher = Form.useWatch("launcher") as TaskValues["launcher"] | undefined;
  return (
    <Form.Item
      name="command"
      label={t("field.command")}
      required
      extra={t("form.commandHint")}
      rules={[
        { required: true, whitespace: true, message: t("form.commandMissing") },
        { max: COMMAND_MAX, message: t("form.commandLong", { max: COMMAND_MAX }) },
      ]}
    >
      <Input.TextArea
        className={styles.command}
        autoSize={{ minRows: 4, maxRows: 20 }}
        spellCheck={false}
        placeholder={placeholder ?? (launcher === "command" ? "python train.py" : "train.py")}
        count={{ show: true, max: COMMAND_MAX }}
      />
    </Form.Item>
  );
}

function SaveModelField() {
  const { t } = useTranslation(["training", "common"]);
  return (
    <Form.Item
      name="save_model"
      label={t("field.saveModel")}
      extra={t("form.saveModelHint")}
      rules={[
        {
          validator: (_rule, value: string | undefined) => {
            const problem = value?.trim() ? nameProblem(value) : null;
            return problem ? Promise.reject(new Error(t(`common:name.${problem}`, { max: NAME_MAX, characters: FORBIDDEN_IN_NAMES }))) : Promise.resolve();
          },
        },
      ]}
    >
      <Input autoComplete="off" placeholder={t("form.saveModelNone")} />
    </Form.Item>
  );
}

function MoreFields() {
  const { t } = useTranslation(["training", "workloads"]);
  return (
    <>
      <div className={surfaces.two}>
        <Form.Item name="priority" required label={t("field.priority")}>
          <Select options={PRIORITIES.map((value) => ({ value, label: t(`workloads:priority.${value}`) }))} />
        </Form.Item>
        <Form.Item name="retries" label={t("field.retries")} extra={t("form.retriesHint")} rules={[{ required: true, message: t("form.numberMissing") }]}>
          <InputNumber min={0} max={RETRIES_MAX} precision={0} style={{ width: "100%" }} />
        </Form.Item>
      </div>
      <Form.Item name="preemptible" label={t("field.preemptible")} valuePropName="checked" extra={t("form.preemptibleHint")}>
        <Switch />
      </Form.Item>
      <Form.Item name="time_limit_s" label={t("field.timeLimit")}>
        <DurationInput placeholder={t("form.noLimit")} />
      </Form.Item>
      <WindowField />
      <PairsField name="environment" pattern={VARIABLE} />
    </>
  );
}
