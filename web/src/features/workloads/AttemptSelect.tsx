import { Select } from "antd";
import { useTranslation } from "react-i18next";

const NEWEST = 0;

interface AttemptSelectProps {
  /** How many there were so far. */
  count: number;
  /** Null: the newest, whichever that is by then. */
  value: number | null;
  onChange: (attempt: number | null) => void;
}

/** Which attempt is looked at; nothing to choose where there was one. */
export function AttemptSelect({ count, value, onChange }: AttemptSelectProps) {
  const { t } = useTranslation("workloads");
  if (count < 2) return null;
  const earlier = Array.from({ length: count - 1 }, (_, index) => count - 1 - index);
  return (
    <Select<number>
      aria-label={t("field.attempt")}
      value={value ?? NEWEST}
      popupMatchSelectWidth={false}
      options={[{ value: NEWEST, label: t("attempt.newest", { number: count }) }, ...earlier.map((number) => ({ value: number, label: t("attempt.number", { number }) }))]}
      onChange={(number) => onChange(number === NEWEST ? null : number)}
    />
  );
}
