/** The fields of an entry, by what they are about: without code, a model and a dataset; with code, what a task has. */
import { Collapse, Form, InputNumber, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useSceneOptions } from "@/features/assets/texts";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { DurationInput } from "@/ui/form/DurationInput";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { FieldGroup } from "@/ui/MakePage";
import { CodeFields, CodeMoreFields } from "./CodeFields";
import { FORMS, WORKERS_MAX } from "./inference-values";
import { ModelFields } from "./ModelFields";
import type { Form as EntryForm } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Inference.module.css";

const PRIORITIES = ["low", "normal", "high"] as const;

export function InferenceFields({ project }: { project: string }) {
  const { t } = useTranslation("inference");
  const form = Form.useWatch<EntryForm>("form", { preserve: true }) ?? "model";
  return (
    <>
      <FieldGroup title={t("make.about")}>
        <NameField />
        <SceneField />
        <DescriptionField placeholder={t("make.descriptionHint")} />
        <Form.Item name="form" label={t("field.form")} required>
          <Radio.Group className={styles.forms}>
            {FORMS.map((value) => (
              <Radio key={value} value={value}>
                {t(`form.${value}`)}
                <span className={styles.choiceText}>{t(`form.${value}Text`)}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
      </FieldGroup>
      {form === "model" ? <ModelFields project={project} /> : <CodeFields project={project} />}
      <FieldGroup title={t("make.where")}>
        <div className={surfaces.two}>
          <Form.Item name="spec" label={t("field.spec")} extra={t("make.specHint")}>
            <SpecSelect placeholder={t("defaultSpec")} />
          </Form.Item>
          {form === "model" && (
            <Form.Item name="workers" label={t("field.workers")} extra={t("make.workersHint")}>
              <InputNumber min={1} max={WORKERS_MAX} precision={0} placeholder={t("make.workersAuto")} style={{ width: "100%" }} />
            </Form.Item>
          )}
        </div>
      </FieldGroup>
      <Collapse className={surfaces.folded} items={[{ key: "more", label: t(`make.more.${form}`), forceRender: true, children: <MoreFields form={form} /> }]} />
    </>
  );
}

function SceneField() {
  const { t } = useTranslation("inference");
  return (
    <Form.Item name="scene" label={t("field.scene")} required>
      <Select options={useSceneOptions()} showSearch={{ optionFilterProp: "label" }} />
    </Form.Item>
  );
}

function MoreFields({ form }: { form: EntryForm }) {
  const { t } = useTranslation(["inference", "workloads"]);
  return (
    <>
      <div className={surfaces.two}>
        <Form.Item name="priority" required label={t("field.priority")}>
          <Select options={PRIORITIES.map((value) => ({ value, label: t(`workloads:priority.${value}`) }))} />
        </Form.Item>
        <Form.Item name="time_limit_s" label={t("field.timeLimit")}>
          <DurationInput placeholder={t("make.noLimit")} />
        </Form.Item>
      </div>
      {form === "code" && <CodeMoreFields />}
    </>
  );
}
