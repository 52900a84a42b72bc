import { Alert, Button, Form, Input } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MeView } from "@/api/types";
import { changePassword } from "@/features/session/change-password";
import { meQuery, useMeta } from "@/features/session/me";
import { Panel } from "@/ui/Facts";
import { NewPasswordField, RepeatPasswordField } from "@/ui/form/fields";
import { useFormSubmit } from "@/ui/form/form-submit";
import { useNotify } from "@/ui/notify";
import styles from "./Account.module.css";

interface Values {
  old_password: string;
  new_password: string;
  repeat: string;
}

export function PasswordPanel({ me }: { me: MeView }) {
  const { t } = useTranslation(["account", "session"]);
  const client = useQueryClient();
  const notify = useNotify();
  const limits = useMeta()?.password ?? { min: 8, max: 64 };
  const [form] = Form.useForm<Values>();
  const { submit, isBusy, problem } = useFormSubmit(form, async (values: Values) => {
    client.setQueryData(meQuery.queryKey, await changePassword(me.name, values.old_password, values.new_password));
    form.resetFields();
    notify.done(t("password.done"));
  });
  return (
    <div className={styles.narrow}>
      <Panel title={t("tab.password")}>
        <Alert type="info" showIcon title={t("password.hint")} style={{ marginBottom: 16 }} />
        <Form<Values> form={form} layout="vertical" requiredMark={false} onFinish={(values) => void submit(values)}>
          <input type="text" autoComplete="username" value={me.name} readOnly hidden />
          <Form.Item name="old_password" label={t("password.old")} rules={[{ required: true, message: t("session:passwordMissing") }]}>
            <Input.Password autoComplete="current-password" />
          </Form.Item>
          <NewPasswordField name="new_password" label={t("password.new")} limits={limits} />
          <RepeatPasswordField of="new_password" />
          {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} style={{ marginBottom: 16 }} />}
          <Button type="primary" htmlType="submit" loading={isBusy}>
            {t("password.submit")}
          </Button>
        </Form>
      </Panel>
    </div>
  );
}
