import { Alert, Button, Form, Input, Select } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { MeView } from "@/api/types";
import { meQuery } from "@/features/session/me";
import { LANGUAGES, setLanguage, useLanguage } from "@/i18n";
import type { Language } from "@/i18n";
import { Panel } from "@/ui/Facts";
import { MailField } from "@/ui/form/fields";
import { useFormSubmit } from "@/ui/form/form-submit";
import { useNotify } from "@/ui/notify";
import styles from "./Account.module.css";

interface Values {
  display_name: string;
  mail: string;
  language: Language;
}

export function ProfilePanel({ me }: { me: MeView }) {
  const { t } = useTranslation(["account", "common", "users"]);
  const client = useQueryClient();
  const notify = useNotify();
  const language = useLanguage();
  const [form] = Form.useForm<Values>();
  const [isChanged, setChanged] = useState(false);
  const { submit, isBusy, problem } = useFormSubmit(form, async (values: Values) => {
    // Sending an unchanged mail would still end every session, so only what changed is sent.
    const { mail, ...rest } = values;
    const saved = await unwrap(api.PATCH("/api/v1/me", { body: mail === me.mail ? rest : { ...rest, mail } }));
    await setLanguage(values.language);
    client.setQueryData(meQuery.queryKey, saved);
    setChanged(false);
    notify.done(t("common:saved"));
    // A new mail has ended this session too; asking now shows the sign-in at once instead of at the next click.
    if (mail !== me.mail) await client.invalidateQueries({ queryKey: meQuery.queryKey });
  });
  return (
    <div className={styles.narrow}>
      <Panel title={t("tab.profile")}>
        <Form<Values>
          form={form}
          layout="vertical"
          requiredMark={false}
          initialValues={{ display_name: me.display_name, mail: me.mail, language: me.language ?? language }}
          onValuesChange={() => setChanged(true)}
          onFinish={(values) => void submit(values)}
        >
          <Form.Item label={t("users:name")} extra={t("nameFixed")}>
            <Input value={me.name} disabled aria-label={t("users:name")} />
          </Form.Item>
          <Form.Item name="display_name" label={t("users:displayName")} extra={t("displayNameHint")}>
            <Input maxLength={100} autoComplete="name" />
          </Form.Item>
          <MailField />
          <p className={styles.hint}>{t("mailHint")}</p>
          <Form.Item name="language" label={t("language")}>
            <Select options={(Object.keys(LANGUAGES) as Language[]).map((key) => ({ value: key, label: <span lang={key}>{LANGUAGES[key]}</span> }))} />
          </Form.Item>
          {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} style={{ marginBottom: 16 }} />}
          <div className={styles.bar}>
            <Button type="primary" htmlType="submit" disabled={!isChanged} loading={isBusy}>
              {t("common:action.save")}
            </Button>
            <span className="tm-muted">{isChanged ? t("common:unsaved") : t("common:nothingChanged")}</span>
          </div>
        </Form>
      </Panel>
    </div>
  );
}
