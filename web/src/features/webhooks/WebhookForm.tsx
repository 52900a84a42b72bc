import { Form, Input, Select, Switch } from "antd";
import type { Rule } from "antd/es/form";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { WebhookView } from "@/api/types";
import { NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";

/** Events are called `thing.verb`, as in the audit log; either part may be a star. */
const PATTERN = /^(\*|(\*|[a-z][a-z_]{0,49})\.(\*|[a-z][a-z_]{0,49}))$/;
const SUGGESTED = ["*", "algorithm.*", "model.*", "*.commit", "member.*", "project.*", "job.*"];

interface WebhookFormProps {
  project: string;
  webhook?: WebhookView;
  onClose: () => void;
  onSaved: (webhook: WebhookView) => void;
}

interface Values {
  name: string;
  url: string;
  events: string[];
  secret: string;
  enabled: boolean;
}

export function WebhookForm({ project, webhook, onClose, onSaved }: WebhookFormProps) {
  const { t } = useTranslation(["webhooks", "common"]);
  const save = ({ secret, ...rest }: Values) => {
    // An empty secret keeps the one there is: the server never shows it, so the field cannot be filled in.
    const body = secret ? { ...rest, secret } : rest;
    return webhook
      ? api.PATCH("/api/v1/projects/{project}/webhooks/{webhook}", { params: { path: { project, webhook: webhook.id } }, body })
      : api.POST("/api/v1/projects/{project}/webhooks", { params: { path: { project } }, body });
  };
  return (
    <FormModal<Values>
      title={webhook ? t("edit", { name: webhook.name }) : t("create")}
      submitText={webhook ? t("common:action.save") : t("create")}
      initialValues={{ name: webhook?.name ?? "", url: webhook?.url ?? "", events: webhook?.events ?? ["*"], secret: "", enabled: webhook?.enabled ?? true }}
      onSubmit={async (values) => onSaved(await unwrap<WebhookView>(save(values)))}
      onClose={onClose}
    >
      <NameField />
      <Form.Item name="url" label={t("url")} extra={t("urlHint")} required rules={[{ required: true, message: t("urlMissing") }, { type: "url", message: t("urlWrong") }]}>
        <Input type="url" placeholder={t("urlExample")} autoComplete="off" />
      </Form.Item>
      <Form.Item name="events" label={t("events")} extra={t("eventsHint")} required rules={[{ required: true, type: "array", min: 1, message: t("eventsMissing") }, patternRule(t("eventsWrong"))]}>
        <Select mode="tags" options={SUGGESTED.map((event) => ({ value: event, label: event }))} tokenSeparators={[",", " "]} />
      </Form.Item>
      <Form.Item name="secret" label={t("secret")} extra={webhook ? t("secretKept") : t("secretHint")}>
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item name="enabled" label={t("enabled")} valuePropName="checked" required>
        <Switch />
      </Form.Item>
    </FormModal>
  );
}

function patternRule(message: string): Rule {
  return {
    validator: (_rule, events: string[] = []) => (events.every((event) => PATTERN.test(event)) ? Promise.resolve() : Promise.reject(new Error(message))),
  };
}
