/** Fields for what a format can be told; nothing where it takes no options. */
import { Form, Input, Select } from "antd";
import type { Rule } from "antd/es/form";
import { useTranslation } from "react-i18next";
import { isByte, isPattern } from "./format-options";
import type { OptionField } from "./format-options";
import styles from "./Works.module.css";

export function OptionFields({ fields }: { fields: readonly OptionField[] }) {
  const { t } = useTranslation("datasets");
  if (fields.length === 0) return null;
  return (
    <fieldset className={styles.options}>
      <legend>{t("options.title")}</legend>
      <p className="tm-muted">{t("options.text")}</p>
      <div className={styles.row}>
        {fields.map((field) => (
          <Option key={field.name} field={field} />
        ))}
      </div>
    </fieldset>
  );
}

function Option({ field }: { field: OptionField }) {
  const { t } = useTranslation("datasets");
  const { name, kind } = field;
  return (
    <Form.Item name={["options", name]} label={t(`options.name.${name}`)} extra={t(`options.hint.${name}`)} rules={useRules(field)}>
      {kind === "choice" ? (
        <Select allowClear placeholder={t("options.recognised")} showSearch={{ optionFilterProp: "label" }} options={field.choices.map(({ value, key }) => ({ value, label: key ? t(`options.choice.${key}`) : value }))} />
      ) : kind === "yesno" ? (
        <Select allowClear placeholder={t("options.recognised")} options={(["yes", "no"] as const).map((value) => ({ value, label: t(`options.choice.${value}`) }))} />
      ) : kind === "texts" || kind === "numbers" ? (
        <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[",", "，", "\n", " "]} placeholder={kind === "numbers" ? "255" : "annotations/instances_train.json"} />
      ) : (
        <Input autoComplete="off" maxLength={kind === "pattern" ? 500 : 200} placeholder={kind === "pattern" ? "^([a-z]+)_" : t("options.recognised")} />
      )}
    </Form.Item>
  );
}

function useRules({ kind }: OptionField): Rule[] {
  const { t } = useTranslation("datasets");
  const check = (isGood: (value: string | string[]) => boolean, problem: string): Rule => ({
    validator: (_rule, value: string | string[] | null | undefined) => (value === undefined || value === null || value.length === 0 || isGood(value) ? Promise.resolve() : Promise.reject(new Error(problem))),
  });
  if (kind === "pattern") return [check((value) => isPattern(String(value)), t("options.patternWrong"))];
  if (kind === "numbers") return [check((value) => [...value].every(isByte), t("options.numbersWrong"))];
  return [];
}
