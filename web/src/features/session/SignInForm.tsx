import { LockOutlined, UserOutlined } from "@ant-design/icons";
import { Alert, Button, Form, Input } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiFailure } from "@/api/failure";
import type { MeView } from "@/api/types";
import { useFailureText } from "@/ui/failure-text";
import { signIn } from "./me";

interface SignInFormProps {
  /** Set when a known user signs in again; the name is then fixed. */
  fixedUser?: string;
  onSignedIn: (me: MeView) => void;
}

interface Credentials {
  user: string;
  password: string;
}

export function SignInForm({ fixedUser, onSignedIn }: SignInFormProps) {
  const { t } = useTranslation("session");
  const failureText = useFailureText();
  const [form] = Form.useForm<Credentials>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const wait = useCountdown();

  const submit = async (credentials: Credentials) => {
    setBusy(true);
    setProblem(null);
    try {
      onSignedIn(await signIn(credentials));
    } catch (error) {
      setBusy(false);
      setProblem(error);
      if (error instanceof ApiFailure && error.status === 429) wait.start(error.retryAfterS ?? 60);
      form.setFieldValue("password", "");
      form.getFieldInstance("password")?.focus();
    }
  };
  const text = problem === null ? null : failureText(problem);
  return (
    <Form<Credentials> form={form} layout="vertical" size="large" requiredMark={false} initialValues={{ user: fixedUser ?? "", password: "" }} onFinish={(values) => void submit(values)}>
      {wait.seconds > 0 ? (
        <Alert type="warning" showIcon title={t("tooMany")} description={t("tooManyWait", { count: wait.seconds })} style={{ marginBottom: 16 }} />
      ) : (
        text && <Alert type="error" showIcon title={text.title} description={text.text} style={{ marginBottom: 16 }} />
      )}
      <Form.Item name="user" label={t("user")} hidden={fixedUser !== undefined} rules={[{ required: true, whitespace: true, message: t("userMissing") }]}>
        <Input prefix={<UserOutlined aria-hidden />} autoComplete="username" autoCapitalize="none" spellCheck={false} autoFocus={!fixedUser} />
      </Form.Item>
      <Form.Item name="password" label={t("password")} rules={[{ required: true, message: t("passwordMissing") }]}>
        <Input.Password prefix={<LockOutlined aria-hidden />} autoComplete="current-password" autoFocus={fixedUser !== undefined} />
      </Form.Item>
      <Button type="primary" htmlType="submit" block loading={isBusy} disabled={wait.seconds > 0}>
        {wait.seconds > 0 ? t("submitWait", { count: wait.seconds }) : t("submit")}
      </Button>
    </Form>
  );
}

function useCountdown() {
  const [until, setUntil] = useState<number | null>(null);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (until === null) return;
    const timer = window.setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) setUntil(null);
    }, 250);
    return () => window.clearInterval(timer);
  }, [until]);
  const start = (seconds: number) => {
    setNow(Date.now());
    setUntil(Date.now() + seconds * 1000);
  };
  return { seconds: until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000)), start };
}
