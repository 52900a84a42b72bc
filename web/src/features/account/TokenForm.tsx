import { Form, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { MeView, TokenCreated } from "@/api/types";
import { useRoleTexts } from "@/features/roles/roles";
import { NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";

const DAYS = [7, 30, 90, 365];
const NEVER = 0;

interface Values {
  name: string;
  days: number;
  project?: string;
  reach: "all" | "some";
  scopes?: string[];
}

export function TokenForm({ me, onClose, onCreated }: { me: MeView; onClose: () => void; onCreated: (token: TokenCreated) => void }) {
  const { t } = useTranslation("account");
  const expiry = [...DAYS.map((days) => ({ value: days, label: t("tokens.days", { count: days }) })), { value: NEVER, label: t("tokens.never") }];
  return (
    <FormModal<Values>
      title={t("tokens.create")}
      submitText={t("tokens.create")}
      initialValues={{ name: "", days: 30, reach: "all", scopes: [] }}
      onSubmit={async ({ name, days, project, reach, scopes }) => {
        const body = { name, days: days === NEVER ? null : days, project: project ?? null, scopes: reach === "some" ? (scopes ?? []) : [] };
        onCreated(await unwrap(api.POST("/api/v1/me/tokens", { body })));
      }}
      onClose={onClose}
    >
      <NameField hint={t("tokens.nameHint")} />
      <Form.Item name="days" label={t("tokens.expires")} required>
        <Select options={expiry} />
      </Form.Item>
      <Form.Item name="project" label={t("tokens.project")} extra={t("tokens.projectHint")}>
        <Select allowClear showSearch placeholder={t("tokens.allProjects")} options={me.projects.map((project) => ({ value: project.name, label: project.name }))} />
      </Form.Item>
      <Form.Item name="reach" label={t("tokens.scopes")} required>
        <Radio.Group
          options={[
            { value: "all", label: t("tokens.everythingIMay") },
            { value: "some", label: t("tokens.onlyChosen") },
          ]}
        />
      </Form.Item>
      <Form.Item noStyle shouldUpdate={(before: Values, after: Values) => before.reach !== after.reach}>
        {({ getFieldValue }) => getFieldValue("reach") === "some" && <ScopesField me={me} />}
      </Form.Item>
    </FormModal>
  );
}

function ScopesField({ me }: { me: MeView }) {
  const { t } = useTranslation("account");
  const texts = useRoleTexts();
  const held = [...new Set([...me.permissions, ...me.projects.flatMap((project) => project.permissions)])].sort();
  const options = held.map((permission) => {
    const [resource = "", action = ""] = permission.split(".");
    return { value: permission, label: permission, words: `${texts.resource(resource)} · ${texts.action(action)}` };
  });
  return (
    <Form.Item name="scopes" rules={[{ required: true, type: "array", min: 1, message: t("tokens.scopesMissing") }]}>
      <Select
        mode="multiple"
        aria-label={t("tokens.scopes")}
        placeholder={t("tokens.scopesChoose")}
        options={options}
        optionRender={({ data }) => (
          <span>
            {data.words} <code className="tm-muted">{data.value}</code>
          </span>
        )}
      />
    </Form.Item>
  );
}
