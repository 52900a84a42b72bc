import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import styles from "./Environments.module.css";

const HOUR_S = 3600;
const MINUTE_S = 60;
const RUN_HOURS = [1, 2, 4, 8, 12, 24, 72, 168];
const IDLE_MINUTES = [15, 30, 60, 120, 240, 480];
/** A select cannot hold null. */
const NEVER = 0;

export interface LimitValues {
  time_limit_s: number | null;
  idle_limit_s: number | null;
}

export const DEFAULT_LIMITS: LimitValues = { time_limit_s: 24 * HOUR_S, idle_limit_s: 60 * MINUTE_S };

/** When it is stopped by itself. */
export function LimitFields() {
  const { t } = useTranslation("environments");
  return (
    <div className={styles.pair}>
      <Form.Item name="time_limit_s" label={t("timeLimit")} extra={t("timeLimitHint")} required>
        <SecondsSelect offered={RUN_HOURS.map((hours) => hours * HOUR_S)} />
      </Form.Item>
      <Form.Item name="idle_limit_s" label={t("idleLimit")} extra={t("idleLimitHint")} required>
        <SecondsSelect offered={IDLE_MINUTES.map((minutes) => minutes * MINUTE_S)} />
      </Form.Item>
    </div>
  );
}

interface SecondsSelectProps {
  id?: string;
  offered: number[];
  value?: number | null;
  onChange?: (seconds: number | null) => void;
}

function SecondsSelect({ id, offered, value, onChange }: SecondsSelectProps) {
  const { t } = useTranslation("environments");
  const text = useSecondsText();
  const all = value && !offered.includes(value) ? [...offered, value].sort((a, b) => a - b) : offered;
  return (
    <Select<number>
      id={id}
      value={value ?? NEVER}
      options={[...all.map((seconds) => ({ value: seconds, label: text(seconds) })), { value: NEVER, label: t("never") }]}
      onChange={(seconds) => onChange?.(seconds === NEVER ? null : seconds)}
    />
  );
}

export function useSecondsText(): (seconds: number) => string {
  const { t } = useTranslation("environments");
  return (seconds) => (seconds % HOUR_S === 0 ? t("hours", { count: seconds / HOUR_S }) : t("minutes", { count: Math.round(seconds / MINUTE_S) }));
}
