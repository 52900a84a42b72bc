import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/ui/IconButton";
import styles from "./Training.module.css";

interface PairsFieldProps {
  name: "environment" | "parameters";
  /** What a name must look like. */
  pattern: RegExp;
  /** Other words than the usual. */
  label?: string;
}

/** Names with values: variables of the environment, parameters. */
export function PairsField({ name, pattern, label }: PairsFieldProps) {
  const { t } = useTranslation("training");
  return (
    <Form.Item label={label ?? t(`form.${name}`)} extra={t(`form.${name}Hint`)}>
      <Form.List name={name}>
        {(rows, { add, remove }) => (
          <>
            {rows.map((row) => (
              <div key={row.key} className={styles.pair}>
                <Form.Item
                  name={[row.name, "name"]}
                  noStyle
                  rules={[
                    { required: true, message: t("form.nameMissing") },
                    { pattern, message: t(`form.${name}Wrong`) },
                  ]}
                >
                  <Input aria-label={t("form.pairName")} placeholder={t("form.pairName")} autoComplete="off" />
                </Form.Item>
                <Form.Item name={[row.name, "value"]} noStyle>
                  <Input aria-label={t("form.pairValue")} placeholder={t("form.pairValue")} autoComplete="off" />
                </Form.Item>
                <IconButton icon={<DeleteOutlined aria-hidden />} label={t("form.pairRemove")} onClick={() => remove(row.name)} />
              </div>
            ))}
            <Button type="dashed" icon={<PlusOutlined aria-hidden />} onClick={() => add({ name: "", value: "" })}>
              {t(`form.${name}Add`)}
            </Button>
          </>
        )}
      </Form.List>
    </Form.Item>
  );
}
