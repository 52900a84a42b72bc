import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { BytesInput } from "@/ui/form/fields";
import { IconButton } from "@/ui/IconButton";
import styles from "./Projects.module.css";

const ACCELERATOR_NAME = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,98}[A-Za-z0-9])?$/;
const MOST = 1_000_000;

export function StorageField() {
  const { t } = useTranslation("projects");
  return (
    <Form.Item name="storage_limit_bytes" label={t("storageLimit")} extra={t("storageLimitHint")}>
      <BytesInput placeholder={t("noLimit")} />
    </Form.Item>
  );
}

export function QuotaFields() {
  const { t } = useTranslation("projects");
  return (
    <>
      <div className={styles.pair}>
        <Form.Item name={["quota", "cpu"]} label={t("cpu")}>
          <InputNumber min={0} max={MOST} step={1} placeholder={t("noLimit")} suffix={t("cpuUnit")} style={{ width: "100%" }} />
        </Form.Item>
        <Form.Item name={["quota", "memory_bytes"]} label={t("memory")}>
          <BytesInput placeholder={t("noLimit")} />
        </Form.Item>
      </div>
      <AcceleratorFields />
    </>
  );
}

function AcceleratorFields() {
  const { t } = useTranslation("projects");
  return (
    <Form.Item label={t("accelerators")} extra={t("acceleratorsHint")}>
      <Form.List name={["quota", "accelerators"]}>
        {(rows, { add, remove }) => (
          <>
            {rows.map((row) => (
              <div key={row.key} className={styles.accelerator}>
                <Form.Item
                  name={[row.name, "name"]}
                  noStyle
                  rules={[
                    { required: true, message: t("acceleratorName") },
                    { pattern: ACCELERATOR_NAME, message: t("acceleratorNameWrong") },
                    ({ getFieldValue }) => ({
                      validator: (_rule, value: string) => {
                        const all = getFieldValue(["quota", "accelerators"]) as { name?: string }[];
                        const isTwice = all.filter((other) => other?.name === value).length > 1;
                        return isTwice ? Promise.reject(new Error(t("acceleratorTwice"))) : Promise.resolve();
                      },
                    }),
                  ]}
                >
                  <Input aria-label={t("acceleratorName")} placeholder={t("acceleratorExample")} />
                </Form.Item>
                <Form.Item name={[row.name, "count"]} noStyle rules={[{ required: true, message: t("acceleratorCount") }]}>
                  <InputNumber aria-label={t("acceleratorCount")} min={0} max={MOST} precision={0} style={{ width: 110 }} />
                </Form.Item>
                <IconButton icon={<DeleteOutlined aria-hidden />} label={t("acceleratorRemove")} onClick={() => remove(row.name)} />
              </div>
            ))}
            <Button type="dashed" icon={<PlusOutlined aria-hidden />} onClick={() => add({ name: "", count: 1 })}>
              {t("acceleratorAdd")}
            </Button>
          </>
        )}
      </Form.List>
    </Form.Item>
  );
}
