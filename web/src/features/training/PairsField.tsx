import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/ui/IconButton";
import styles from "./Training.module.css";

interface PairsFieldProps {
  /** Values of secrets are not shown; one with `isKept` is there already and stays as it is while nothing is typed. */
  name: "environment" | "parameters" | "secrets";
  /** What a name must look like. */
  pattern: RegExp;
  /** Other words than the usual. */
  label?: string;
}

/** Names with values: variables of the environment, parameters. */
export function PairsField({ name, pattern, label }: PairsFieldProps) {
  const { t } = useTranslation("training");
  const kept = Form.useWatch(name, { preserve: true }) as { isKept?: boolean }[] | undefined;
  const isKept = (row: number) => kept?.[row]?.isKept === true;
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
                  <Input aria-label={t("form.pairName")} placeholder={t("form.pairName")} autoComplete="off" disabled={isKept(row.name) || undefined} />
                </Form.Item>
                {name === "secrets" ? (
                  <SecretValue row={row.name} isKept={isKept(row.name)} />
                ) : (
                  <Form.Item name={[row.name, "value"]} noStyle>
                    <Input aria-label={t("form.pairValue")} placeholder={t("form.pairValue")} autoComplete="off" />
                  </Form.Item>
                )}
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

function SecretValue({ row, isKept }: { row: number; isKept: boolean }) {
  const { t } = useTranslation("training");
  return (
    <Form.Item name={[row, "value"]} noStyle rules={isKept ? [] : [{ required: true, message: t("form.valueMissing") }]}>
      <Input.Password aria-label={t("form.pairValue")} placeholder={isKept ? t("form.secretKept") : t("form.pairValue")} autoComplete="new-password" />
    </Form.Item>
  );
}
