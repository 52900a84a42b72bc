import { Checkbox, Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { UserKind, UserView } from "@/api/types";
import { useMeta } from "@/features/session/me";
import { MailField, NameField, NewPasswordField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { USER_KINDS } from "./users";

const DISPLAY_NAME_MAX = 100;
const DEFAULT_PASSWORD = { min: 8, max: 64 };

interface FormProps {
  onClose: () => void;
  onSaved: (user: UserView) => void;
}

interface CreateValues {
  name: string;
  display_name: string;
  mail: string;
  kind: UserKind;
  password: string;
  must_change_password: boolean;
}

export function UserCreateForm({ onClose, onSaved }: FormProps) {
  const { t } = useTranslation("users");
  const limits = useMeta()?.password ?? DEFAULT_PASSWORD;
  return (
    <FormModal<CreateValues>
      title={t("create.title")}
      submitText={t("create.submit")}
      initialValues={{ name: "", display_name: "", mail: "", kind: "member", password: "", must_change_password: true }}
      onSubmit={async (body) => onSaved(await unwrap(api.POST("/api/v1/users", { body })))}
      onClose={onClose}
    >
      <NameField label={t("name")} hint={t("nameHint")} />
      <DisplayNameField />
      <MailField />
      <KindField />
      <NewPasswordField name="password" label={t("password")} limits={limits} />
      <MustChangeField />
    </FormModal>
  );
}

type EditValues = Pick<UserView, "display_name" | "mail" | "kind">;

export function UserEditForm({ user, isSelf, onClose, onSaved }: FormProps & { user: UserView; isSelf: boolean }) {
  const { t } = useTranslation(["users", "common"]);
  return (
    <FormModal<EditValues>
      title={t("edit.title", { name: user.name })}
      submitText={t("common:action.save")}
      initialValues={{ display_name: user.display_name, mail: user.mail, kind: user.kind }}
      onSubmit={async (body) => onSaved(await unwrap(api.PATCH("/api/v1/users/{user}", { params: { path: { user: user.name } }, body })))}
      onClose={onClose}
    >
      <DisplayNameField />
      <MailField />
      <KindField disabledReason={isSelf ? t("ownKind") : undefined} />
    </FormModal>
  );
}

interface ResetValues {
  new_password: string;
  must_change_password: boolean;
}

export function PasswordResetForm({ user, onClose, onSaved }: { user: UserView; onClose: () => void; onSaved: () => void }) {
  const { t } = useTranslation("users");
  const limits = useMeta()?.password ?? DEFAULT_PASSWORD;
  return (
    <FormModal<ResetValues>
      title={t("reset.title", { name: user.name })}
      submitText={t("reset.submit")}
      initialValues={{ new_password: "", must_change_password: true }}
      onSubmit={async (body) => {
        await unwrap(api.POST("/api/v1/users/{user}/password", { params: { path: { user: user.name } }, body }));
        onSaved();
      }}
      onClose={onClose}
    >
      <p style={{ marginBottom: 16 }}>{t("reset.text")}</p>
      <NewPasswordField name="new_password" label={t("reset.new")} limits={limits} autoFocus />
      <MustChangeField />
    </FormModal>
  );
}

function DisplayNameField() {
  const { t } = useTranslation("users");
  return (
    <Form.Item name="display_name" label={t("displayName")} rules={[{ max: DISPLAY_NAME_MAX, message: t("displayNameLong", { max: DISPLAY_NAME_MAX }) }]}>
      <Input autoComplete="off" />
    </Form.Item>
  );
}

function KindField({ disabledReason }: { disabledReason?: string }) {
  const { t } = useTranslation("users");
  const options = USER_KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`), text: t(`kindText.${kind}`) }));
  return (
    <Form.Item name="kind" label={t("kindLabel")} required extra={disabledReason}>
      <Select
        disabled={disabledReason !== undefined}
        options={options}
        optionRender={({ data }) => (
          <div>
            {data.label}
            <div className="tm-muted" style={{ fontSize: 12, whiteSpace: "normal" }}>
              {data.text}
            </div>
          </div>
        )}
      />
    </Form.Item>
  );
}

function MustChangeField() {
  const { t } = useTranslation("users");
  return (
    <Form.Item name="must_change_password" valuePropName="checked">
      <Checkbox>{t("mustChange")}</Checkbox>
    </Form.Item>
  );
}
