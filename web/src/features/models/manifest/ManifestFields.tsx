/** The form that an algorithm's manifest asks for: groups, types, ranges and help are its own. */
import { Form, Input, InputNumber, Select, Switch } from "antd";
import type { Rule } from "antd/es/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { Parameter, Value } from "../types";
import { grouped, problemOf, stepOf } from "./manifest-values";
import styles from "../Models.module.css";

const HUGE = 1e9;

interface ManifestFieldsProps<P extends Parameter> {
  /** Where in the form the values are. */
  field: string;
  parameters: readonly P[];
  /** What is said below a field besides its help. */
  note?: (parameter: P) => ReactNode;
}

export function ManifestFields<P extends Parameter>({ field, parameters, note }: ManifestFieldsProps<P>) {
  const { t } = useTranslation("models");
  return grouped(parameters).map(({ group, parameters: found }) => (
    <fieldset key={group} className={styles.group}>
      <legend>{t(`group.${group}`)}</legend>
      <div className={styles.fields}>
        {found.map((parameter) => (
          <Field key={parameter.name} field={field} parameter={parameter} note={note?.(parameter)} />
        ))}
      </div>
    </fieldset>
  ));
}

function Field({ field, parameter, note }: { field: string; parameter: Parameter; note: ReactNode }) {
  const rangeText = useRangeText();
  const rule = useRule(parameter);
  const hint = [parameter.help, rangeText(parameter)].filter(Boolean).join(" ");
  return (
    <Form.Item
      name={[field, parameter.name]}
      required={parameter.type !== "text"}
      label={
        <span>
          {parameter.title} <code className={styles.code}>{parameter.name}</code>
        </span>
      }
      extra={
        <>
          {hint}
          {note && <span className={styles.note}>{note}</span>}
        </>
      }
      rules={[rule]}
      valuePropName={parameter.type === "bool" ? "checked" : "value"}
    >
      <Control parameter={parameter} />
    </Form.Item>
  );
}

/** Gets `id`, `value` and `onChange` of the form. */
function Control({ parameter, ...given }: { parameter: Parameter }) {
  const { type, choices } = parameter;
  switch (type) {
    case "bool":
      return <Switch {...given} />;
    case "choice":
      return <Select {...given} options={(choices ?? []).filter((choice) => typeof choice === "string" || typeof choice === "number").map((choice) => ({ value: choice, label: String(choice) }))} />;
    case "int":
    case "float":
      return <InputNumber {...given} step={stepOf(parameter)} changeOnWheel={false} style={{ width: "100%" }} />;
    case "text":
      return <Input {...given} autoComplete="off" />;
  }
}

function useRangeText(): (parameter: Parameter) => string {
  const { t } = useTranslation("models");
  const format = useFormat();
  return ({ type, min, max: most }) => {
    if (type !== "int" && type !== "float") return "";
    // What nobody reaches is not worth a word: a seed may be any number.
    const max = most !== null && most < HUGE ? most : null;
    if (min !== null && max !== null) return t("range.both", { min: format.compact(min), max: format.compact(max) });
    if (min !== null) return t("range.least", { min: format.compact(min) });
    return max !== null ? t("range.most", { max: format.compact(max) }) : "";
  };
}

function useRule(parameter: Parameter): Rule {
  const { t } = useTranslation("models");
  const format = useFormat();
  return {
    validator: (_rule, value: Value | undefined) => {
      const problem = problemOf(parameter, value);
      const range = { min: format.compact(parameter.min ?? 0), max: format.compact(parameter.max ?? 0) };
      return problem ? Promise.reject(new Error(t(`problem.${problem}`, range))) : Promise.resolve();
    },
  };
}
