/** Fields that mean the same everywhere, with the server's limits on them. */
import { Form, Input, InputNumber, Select, Space } from "antd";
import type { Rule } from "antd/es/form";
import { useTranslation } from "react-i18next";
import { DESCRIPTION_MAX, FORBIDDEN_IN_NAMES, NAME_MAX, nameProblem } from "@/lib/limits";

interface NameFieldProps {
  label?: string;
  isDisabled?: boolean;
  hint?: string;
  autoFocus?: boolean;
}

export function NameField({ label, isDisabled, hint, autoFocus = true }: NameFieldProps) {
  const { t } = useTranslation();
  const rule: Rule = {
    validator: (_rule, value: string | undefined) => {
      const problem = nameProblem(value ?? "");
      return problem ? Promise.reject(new Error(t(`name.${problem}`, { max: NAME_MAX, characters: FORBIDDEN_IN_NAMES }))) : Promise.resolve();
    },
  };
  return (
    <Form.Item name="name" label={label ?? t("field.name")} required rules={isDisabled ? [] : [rule]} extra={hint} validateFirst>
      <Input disabled={isDisabled} autoFocus={autoFocus} autoComplete="off" maxLength={NAME_MAX * 2} count={{ show: !isDisabled, max: NAME_MAX }} />
    </Form.Item>
  );
}

export function DescriptionField({ placeholder }: { placeholder?: string }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="description"
      label={t("field.description")}
      rules={[{ max: DESCRIPTION_MAX, message: t("description.long", { max: DESCRIPTION_MAX }) }]}
    >
      <Input.TextArea autoSize={{ minRows: 3, maxRows: 8 }} count={{ show: true, max: DESCRIPTION_MAX }} placeholder={placeholder} />
    </Form.Item>
  );
}

export function MailField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="mail" label={t("field.mail")} rules={[{ type: "email", message: t("mail.wrong") }]}>
      <Input type="email" autoComplete="off" maxLength={254} />
    </Form.Item>
  );
}

interface PasswordFieldProps {
  name: string;
  label: string;
  limits: { min: number; max: number };
  autoFocus?: boolean;
}

export function NewPasswordField({ name, label, limits, autoFocus }: PasswordFieldProps) {
  const { t } = useTranslation();
  const rule: Rule = {
    validator: (_rule, value: string | undefined) => {
      const length = [...(value ?? "")].length;
      const isFine = length >= limits.min && length <= limits.max;
      return isFine ? Promise.resolve() : Promise.reject(new Error(t("password.wrong", { ...limits, count: length })));
    },
  };
  return (
    <Form.Item name={name} label={label} required rules={[rule]} extra={t("password.length", limits)}>
      <Input.Password autoComplete="new-password" autoFocus={autoFocus} />
    </Form.Item>
  );
}

/** The same password once more, compared with the field called `of`. */
export function RepeatPasswordField({ of }: { of: string }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="repeat"
      label={t("password.repeat")}
      dependencies={[of]}
      required
      rules={[
        ({ getFieldValue }) => ({
          validator: (_rule, value: string | undefined) =>
            value === getFieldValue(of) ? Promise.resolve() : Promise.reject(new Error(t("password.differs"))),
        }),
      ]}
    >
      <Input.Password autoComplete="new-password" />
    </Form.Item>
  );
}

const GIB = 1024 ** 3;
const UNITS = { MiB: 1024 ** 2, GiB: GIB, TiB: 1024 ** 4 } as const;
type Unit = keyof typeof UNITS;

interface BytesInputProps {
  id?: string;
  value?: number | null;
  onChange?: (value: number | null) => void;
  placeholder?: string;
}

/** A size in bytes, typed with a unit. Empty means no limit. */
export function BytesInput({ id, value, onChange, placeholder }: BytesInputProps) {
  const { t } = useTranslation();
  const unit = bestUnit(value);
  const amount = value === null || value === undefined ? null : value / UNITS[unit];
  const emit = (nextAmount: number | null, nextUnit: Unit) => onChange?.(nextAmount === null ? null : Math.round(nextAmount * UNITS[nextUnit]));
  return (
    <UnitInput
      id={id}
      amount={amount}
      unit={unit}
      placeholder={placeholder}
      unitLabel={t("field.unit")}
      onChange={emit}
    />
  );
}

interface UnitInputProps {
  id?: string;
  amount: number | null;
  unit: Unit;
  placeholder?: string;
  unitLabel: string;
  onChange: (amount: number | null, unit: Unit) => void;
}

function UnitInput({ id, amount, unit, placeholder, unitLabel, onChange }: UnitInputProps) {
  return (
    <Space.Compact block>
      <InputNumber
        id={id}
        min={0}
        precision={amount !== null && !Number.isInteger(amount) ? 2 : 0}
        value={amount}
        placeholder={placeholder}
        style={{ width: "100%" }}
        onChange={(next) => onChange(next, unit)}
      />
      <Select<Unit>
        aria-label={unitLabel}
        value={unit}
        style={{ width: 88 }}
        options={(Object.keys(UNITS) as Unit[]).map((key) => ({ value: key, label: key }))}
        onChange={(next) => onChange(amount, next)}
      />
    </Space.Compact>
  );
}

function bestUnit(value: number | null | undefined): Unit {
  if (!value) return "GiB";
  if (value % UNITS.TiB === 0) return "TiB";
  return value % UNITS.GiB === 0 ? "GiB" : "MiB";
}
