/** Who may call a service, from where and how much. */
import { Form, InputNumber, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { BytesInput } from "@/ui/form/fields";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

const ORIGIN = /^(\*|https?:\/\/[^\s/]+)$/;
const TIMEOUT_MAX_S = 3600;

export function AccessField() {
  const { t } = useTranslation("services");
  return (
    <Form.Item name="access" label={t("field.access")} required>
      <Radio.Group
        className={styles.radios}
        options={(["key", "open"] as const).map((value) => ({
          value,
          label: (
            <span>
              {t(`access.${value}`)}
              <small className={styles.hint}>{t(`access.${value}Text`)}</small>
            </span>
          ),
        }))}
      />
    </Form.Item>
  );
}

export function LimitFields() {
  const { t } = useTranslation("services");
  return (
    <>
      <Form.Item
        name="cors"
        label={t("field.cors")}
        extra={t("hint.cors")}
        rules={[{ validator: (_rule, origins: string[] | undefined) => ((origins ?? []).every((origin) => ORIGIN.test(origin)) ? Promise.resolve() : Promise.reject(new Error(t("problem.cors")))) }]}
      >
        <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[" ", ","]} placeholder="https://app.example.com" />
      </Form.Item>
      <div className={surfaces.two}>
        <Form.Item name="body_max_bytes" label={t("field.body")} required rules={[{ required: true, message: t("problem.body") }]}>
          <BytesInput />
        </Form.Item>
        <Form.Item name="timeout_s" label={t("field.timeout")} required rules={[{ required: true, message: t("problem.timeout", { max: TIMEOUT_MAX_S }) }]}>
          <InputNumber min={0.1} max={TIMEOUT_MAX_S} style={{ width: "100%" }} suffix={t("unit.s")} />
        </Form.Item>
        <Form.Item name="rate_per_s" label={t("field.rate")} extra={t("hint.rate")}>
          <InputNumber min={0.001} max={1_000_000} style={{ width: "100%" }} placeholder={t("noLimit")} suffix={t("unit.perS")} />
        </Form.Item>
      </div>
    </>
  );
}
