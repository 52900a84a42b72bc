/** Short forms of a dev environment. */
import { Form, InputNumber } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ImageNameFields } from "@/features/images/ImageFields";
import { imagePath, imagesKey } from "@/features/images/queries";
import { NAME_MAX } from "@/lib/limits";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { useNotify } from "@/ui/notify";
import { changeEnvironment, copyEnvironment, resetPassword, saveImage } from "./api";
import { ComputeFields } from "./ComputeFields";
import { LimitFields } from "./LimitFields";
import type { LimitValues } from "./LimitFields";
import { GENERATED, PasswordFields, passwordOf } from "./PasswordFields";
import type { PasswordValues } from "./PasswordFields";
import { environmentsKey } from "./queries";
import type { EnvironmentView } from "./types";
import styles from "./Environments.module.css";

interface FormProps {
  project: string;
  environment: EnvironmentView;
  onClose: () => void;
}

export function CopyForm({ project, environment, onClose, onMade }: FormProps & { onMade: (copy: EnvironmentView) => void }) {
  const { t } = useTranslation("environments");
  const client = useQueryClient();
  const notify = useNotify();
  return (
    <FormModal<{ name: string } & PasswordValues>
      title={t("copy.title", { name: environment.name })}
      submitText={t("copy.submit")}
      initialValues={{ name: nextName(environment.name), ...GENERATED }}
      onSubmit={async (values) => {
        const copy = await copyEnvironment(project, environment.id, { name: values.name.trim(), password: passwordOf(values) });
        await client.invalidateQueries({ queryKey: environmentsKey(project) });
        notify.done(t("copy.done", { name: copy.name }));
        onMade(copy);
      }}
      onClose={onClose}
    >
      <p className={styles.lead}>{t("copy.text")}</p>
      <NameField />
      <PasswordFields />
    </FormModal>
  );
}

/** “train” → “train-2”, “train-2” → “train-3”, cut so that it stays a name. */
export function nextName(name: string): string {
  const [, stem = name, number] = /^(.*?)(?:-(\d+))?$/.exec(name) ?? [];
  const suffix = `-${Number(number ?? 1) + 1}`;
  return [...stem].slice(0, NAME_MAX - suffix.length).join("") + suffix;
}

interface SaveValues {
  name: string;
  version: string;
  description: string;
}

export function SaveImageForm({ project, environment, onClose }: FormProps) {
  const { t } = useTranslation("environments");
  const client = useQueryClient();
  const notify = useNotify();
  const navigate = useNavigate();
  return (
    <FormModal<SaveValues>
      title={t("save.title", { name: environment.name })}
      submitText={t("save.submit")}
      initialValues={{ name: "", version: "1.0", description: "" }}
      onSubmit={async (values) => {
        const image = await saveImage(project, environment.id, { ...values, name: values.name.trim(), version: values.version.trim() });
        void client.invalidateQueries({ queryKey: imagesKey(project) });
        notify.doneWithLink(t("save.started", { name: `${image.name}:${image.version}` }), { label: t("save.open"), onClick: () => void navigate(imagePath(project, image.id)) });
      }}
      onClose={onClose}
    >
      <p className={styles.lead}>{t("save.text")}</p>
      <ImageNameFields />
      <DescriptionField />
    </FormModal>
  );
}

interface SettingsValues extends LimitValues {
  image: string | null;
  spec: string | null;
  nodes: number;
}

export function SettingsForm({ project, environment, onClose, onChanged }: FormProps & { onChanged: (environment: EnvironmentView) => Promise<void> }) {
  const { t } = useTranslation(["environments", "common"]);
  const notify = useNotify();
  const { image, nodes, time_limit_s, idle_limit_s, workload } = environment;
  const spec = environment.spec ?? workload?.spec ?? null;
  return (
    <FormModal<SettingsValues>
      title={t("settings.edit")}
      submitText={t("common:action.save")}
      initialValues={{ image, spec, nodes, time_limit_s, idle_limit_s }}
      onSubmit={async (values) => {
        await onChanged(await changeEnvironment(project, environment.id, values));
        notify.done(t("settings.saved"));
      }}
      onClose={onClose}
    >
      <p className={styles.lead}>{t("settings.nextStart")}</p>
      <ComputeFields project={project} />
      <LimitFields />
    </FormModal>
  );
}

export function PortForm({ onPort, onClose }: { onPort: (port: number) => void; onClose: () => void }) {
  const { t } = useTranslation("environments");
  return (
    <FormModal<{ port: number }>
      title={t("portForm.title")}
      submitText={t("portForm.submit")}
      initialValues={{ port: 7860 }}
      onSubmit={({ port }) => {
        onPort(port);
        return Promise.resolve();
      }}
      onClose={onClose}
    >
      <p className={styles.lead}>{t("portForm.text")}</p>
      <Form.Item name="port" label={t("portForm.port")} required rules={[{ required: true, type: "integer", min: 1, max: 65_535, message: t("portForm.wrong") }]}>
        <InputNumber autoFocus controls={false} style={{ width: 160 }} />
      </Form.Item>
    </FormModal>
  );
}

export function PasswordForm({ project, environment, onClose, onSet }: FormProps & { onSet: (environment: EnvironmentView, wasGenerated: boolean) => void }) {
  const { t } = useTranslation("environments");
  return (
    <FormModal<PasswordValues>
      title={t("ssh.resetTitle")}
      submitText={t("ssh.resetSubmit")}
      initialValues={GENERATED}
      onSubmit={async (values) => onSet(await resetPassword(project, environment.id, passwordOf(values)), values.password_from === "generated")}
      onClose={onClose}
    >
      <p className={styles.lead}>{t("ssh.resetText")}</p>
      <PasswordFields />
    </FormModal>
  );
}
