/** What can be chosen otherwise: the few things that matter, and every parameter when it is asked for. */
import { Form, Input, Segmented, Select } from "antd";
import { useTranslation } from "react-i18next";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { FORBIDDEN_IN_NAMES, NAME_MAX, nameProblem } from "@/lib/limits";
import { DurationInput } from "@/ui/form/DurationInput";
import { useAddress } from "@/ui/address";
import { FieldGroup } from "@/ui/MakePage";
import { ManifestFields } from "../manifest/ManifestFields";
import { ChoiceTable } from "./ChoiceTable";
import { SCRATCH } from "./train-values";
import type { TrainValues } from "./train-values";
import type { Choice, TrainingPlan } from "./types";
import styles from "../Models.module.css";

/** Has a field of its own above. */
const BUDGET = "time_budget_s";

export function TrainFields({ plan }: { plan: TrainingPlan }) {
  const { t } = useTranslation("models");
  return (
    <>
      <FieldGroup title={t("train.with")} text={t("train.withText")}>
        <Form.Item name="algorithm" required label={t("train.algorithm")} extra={plan.algorithms.find((one) => one.reference === plan.algorithm)?.description}>
          <ChosenSelect chosen={plan.algorithm} options={plan.algorithms.map((one) => ({ value: one.reference, label: one.title, text: one.reference }))} />
        </Form.Item>
        <Form.Item name="model" required label={t("train.model")} extra={plan.model_reason}>
          <ChosenSelect
            chosen={plan.model ?? SCRATCH}
            options={[{ value: SCRATCH, label: t("train.scratch"), text: t("train.scratchText") }, ...plan.models.map((one) => ({ value: one.reference, label: one.reference, text: [one.title, one.reason].filter(Boolean).join(" · ") }))]}
          />
        </Form.Item>
        <div className={styles.fields}>
          <Form.Item name="spec" required label={t("train.spec")} extra={t("train.specHint")}>
            <ChosenSpec chosen={plan.spec} />
          </Form.Item>
          <Form.Item name="time_budget_s" required label={t("train.budget")} extra={t("train.budgetHint")}>
            <ChosenTime key={plan.time_budget_s > 0 ? "given" : "none"} chosen={plan.time_budget_s} />
          </Form.Item>
        </div>
        <SaveModel chosen={plan.save_model} />
      </FieldGroup>
      <Parameters plan={plan} />
    </>
  );
}

function Parameters({ plan }: { plan: TrainingPlan }) {
  const { t } = useTranslation("models");
  const [params, changeAddress] = useAddress();
  const isOpen = params.get("parameters") === "all";
  const choices = plan.choices.filter(({ name }) => name !== BUDGET);
  if (choices.length === 0) return null;
  return (
    <FieldGroup title={t("train.parameters")} text={isOpen ? t("train.parametersOpen") : t("train.parametersChosen")}>
      <Segmented
        style={{ marginBottom: 16 }}
        value={isOpen ? "all" : "chosen"}
        options={[
          { value: "chosen", label: t("train.asChosen") },
          { value: "all", label: t("train.everyParameter") },
        ]}
        onChange={(value) => changeAddress({ parameters: value === "all" ? "all" : null })}
      />
      {isOpen ? <ManifestFields field="parameters" parameters={choices} note={({ reason, is_default }) => !is_default && reason} /> : <Chosen choices={choices} />}
    </FieldGroup>
  );
}

/** As chosen, with what somebody changed as they changed it. */
function Chosen({ choices }: { choices: readonly Choice[] }) {
  const { t } = useTranslation("models");
  const values = Form.useWatch("parameters", { form: Form.useFormInstance<TrainValues>(), preserve: true }) ?? {};
  const shown = choices.map((choice) => {
    const value = values[choice.name];
    return value === undefined || value === null || value === choice.value ? choice : { ...choice, value, is_default: false, reason: t("choice.yours") };
  });
  return <ChoiceTable choices={shown} />;
}

interface ChosenSelectProps {
  id?: string;
  value?: string | null;
  onChange?: (value: string | null) => void;
  /** Shown while nobody has chosen. */
  chosen: string | null;
  options: { value: string; label: string; text?: string }[];
}

function ChosenSelect({ id, value, onChange, chosen, options }: ChosenSelectProps) {
  return (
    <Select<string>
      id={id}
      value={value ?? chosen ?? undefined}
      showSearch={{ optionFilterProp: "label" }}
      options={options}
      optionRender={({ data }) => (
        <span className={styles.option}>
          {data.label}
          {data.text && <small>{data.text}</small>}
        </span>
      )}
      onChange={(next) => onChange?.(next === chosen && !value ? null : next)}
    />
  );
}

function ChosenSpec({ chosen, value, ...rest }: { id?: string; value?: string | null; onChange?: (spec: string | null) => void; chosen: string | null }) {
  const { t } = useTranslation("models");
  return <SpecSelect {...rest} value={value ?? chosen} placeholder={t("train.specDefault")} />;
}

function ChosenTime({ chosen, value, ...rest }: { id?: string; value?: number | null; onChange?: (seconds: number | null) => void; chosen: number }) {
  return <DurationInput {...rest} value={value ?? (chosen > 0 ? chosen : null)} />;
}

/** A name that may be left to the platform. */
function SaveModel({ chosen }: { chosen: string }) {
  const { t } = useTranslation(["models", "common"]);
  return (
    <Form.Item
      name="save_model"
      label={t("train.saveModel")}
      extra={t("train.saveModelHint")}
      rules={[
        {
          validator: (_rule, value: string | undefined) => {
            const problem = value?.trim() ? nameProblem(value) : null;
            return problem ? Promise.reject(new Error(t(`common:name.${problem}`, { max: NAME_MAX, characters: FORBIDDEN_IN_NAMES }))) : Promise.resolve();
          },
        },
      ]}
    >
      <Input autoComplete="off" placeholder={chosen} />
    </Form.Item>
  );
}
