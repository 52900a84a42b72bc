import { Alert, Button, Form, Input } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { NewPasswordField, RepeatPasswordField } from "@/ui/form/fields";
import { useFormSubmit } from "@/ui/form/form-submit";
import { changePassword } from "./change-password";
import { meQuery, useMe, useMeta, useSignOut } from "./me";
import { SessionFrame } from "./SessionFrame";

interface Values {
  old_password: string;
  new_password: string;
  repeat: string;
}

/** The first thing a user with a password made by somebody else has to do. */
export function ForcedPasswordPage() {
  const { t } = useTranslation(["session", "shell"]);
  const me = useMe();
  const limits = useMeta()?.password ?? { min: 8, max: 64 };
  const client = useQueryClient();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [form] = Form.useForm<Values>();
  const { submit, isBusy, problem } = useFormSubmit(form, async (values: Values) => {
    const renewed = await changePassword(me.name, values.old_password, values.new_password);
    client.setQueryData(meQuery.queryKey, renewed);
  });
  return (
    <SessionFrame title={t("force.title")} text={t("force.text", { name: me.name })}>
      <Form<Values> form={form} layout="vertical" requiredMark={false} onFinish={(values) => void submit(values)}>
        <input type="text" autoComplete="username" value={me.name} readOnly hidden />
        <Form.Item name="old_password" label={t("force.old")} rules={[{ required: true, message: t("passwordMissing") }]}>
          <Input.Password autoComplete="current-password" autoFocus />
        </Form.Item>
        <NewPasswordField name="new_password" label={t("force.new")} limits={limits} />
        <RepeatPasswordField of="new_password" />
        {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} style={{ marginBottom: 16 }} />}
        <Button type="primary" size="large" htmlType="submit" block loading={isBusy}>
          {t("force.submit")}
        </Button>
        <Button
          type="link"
          block
          style={{ marginTop: 8 }}
          onClick={async () => {
            await signOut();
            navigate("/sign-in");
          }}
        >
          {t("shell:user.signOut")}
        </Button>
      </Form>
    </SessionFrame>
  );
}
