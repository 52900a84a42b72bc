import { Form, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { useMeta } from "@/features/session/me";
import { NewPasswordField } from "@/ui/form/fields";

export interface PasswordValues {
  password_from: "generated" | "own";
  password?: string;
}

export const GENERATED: PasswordValues = { password_from: "generated" };

/** What is sent: null asks the server to make one. */
export function passwordOf({ password_from, password }: PasswordValues): string | null {
  return password_from === "own" ? (password ?? "") : null;
}

/** A password the server makes, or one's own. */
export function PasswordFields() {
  const { t } = useTranslation("environments");
  const limits = useMeta()?.password ?? { min: 8, max: 64 };
  return (
    <>
      <Form.Item name="password_from" label={t("password.label")} extra={t("password.hint")} required>
        <Radio.Group
          options={[
            { value: "generated", label: t("password.generated") },
            { value: "own", label: t("password.own") },
          ]}
        />
      </Form.Item>
      <Form.Item noStyle shouldUpdate={(before: PasswordValues, after: PasswordValues) => before.password_from !== after.password_from}>
        {({ getFieldValue }) => getFieldValue("password_from") === "own" && <NewPasswordField name="password" label={t("password.field")} limits={limits} autoFocus />}
      </Form.Item>
    </>
  );
}
