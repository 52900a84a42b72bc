import { InputNumber, Select, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";

const UNITS = { minute: 60, hour: 3_600, day: 86_400 } as const;
type Unit = keyof typeof UNITS;

interface DurationInputProps {
  id?: string;
  /** Seconds; null is no limit. */
  value?: number | null;
  onChange?: (seconds: number | null) => void;
  placeholder?: string;
}

/** A length of time, typed with a unit. */
export function DurationInput({ id, value, onChange, placeholder }: DurationInputProps) {
  const { t } = useTranslation();
  const [unit, setUnit] = useState<Unit>(() => bestUnit(value));
  const amount = value === null || value === undefined ? null : value / UNITS[unit];
  const emit = (nextAmount: number | null, nextUnit: Unit) => onChange?.(nextAmount === null ? null : Math.round(nextAmount * UNITS[nextUnit]));
  return (
    <Space.Compact block>
      <InputNumber id={id} min={0} value={amount} placeholder={placeholder} style={{ width: "100%" }} onChange={(next) => emit(next, unit)} />
      <Select<Unit>
        aria-label={t("field.unit")}
        value={unit}
        style={{ width: 100 }}
        options={(Object.keys(UNITS) as Unit[]).map((key) => ({ value: key, label: t(`unit.${key}`) }))}
        onChange={(next) => {
          setUnit(next);
          emit(amount, next);
        }}
      />
    </Space.Compact>
  );
}

function bestUnit(seconds: number | null | undefined): Unit {
  if (!seconds) return "hour";
  if (seconds % UNITS.day === 0) return "day";
  return seconds % UNITS.hour === 0 ? "hour" : "minute";
}
