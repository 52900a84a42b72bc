import { Form, Select, Switch, TimePicker } from "antd";
import dayjs from "dayjs";
import customParseFormat from "dayjs/plugin/customParseFormat";
import { useTranslation } from "react-i18next";
import type { TaskValues } from "./task-values";
import styles from "./Training.module.css";

dayjs.extend(customParseFormat);

const FORMAT = "HH:mm";

/** Between which times of the day runs may begin: nights and week-ends for what is not urgent. */
export function WindowField() {
  const { t } = useTranslation("training");
  const isOn = Form.useWatch("hasWindow") as TaskValues["hasWindow"] | undefined;
  const zones = Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone }));
  return (
    <>
      <Form.Item name="hasWindow" label={t("form.window")} valuePropName="checked" extra={t("form.windowHint")}>
        <Switch />
      </Form.Item>
      {isOn && (
        <div className={styles.window}>
          <Form.Item name={["window", "start"]} label={t("form.windowStart")} rules={[{ required: true, message: t("form.windowMissing") }]}>
            <ClockInput />
          </Form.Item>
          <Form.Item name={["window", "end"]} label={t("form.windowEnd")} rules={[{ required: true, message: t("form.windowMissing") }]}>
            <ClockInput />
          </Form.Item>
          <Form.Item name={["window", "zone"]} label={t("form.windowZone")}>
            <Select showSearch={{ optionFilterProp: "label" }} options={zones} />
          </Form.Item>
        </div>
      )}
    </>
  );
}

function ClockInput({ id, value, onChange }: { id?: string; value?: string | null; onChange?: (time: string | null) => void }) {
  return (
    <TimePicker
      id={id}
      format={FORMAT}
      minuteStep={5}
      needConfirm={false}
      value={value ? dayjs(value, FORMAT) : null}
      onChange={(time) => onChange?.(time ? time.format(FORMAT) : null)}
      style={{ width: "100%" }}
    />
  );
}
