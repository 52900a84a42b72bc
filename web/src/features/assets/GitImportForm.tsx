import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import type { JobView } from "@/api/types";
import type { VersionRef } from "@/features/files/version-ref";
import { FormModal } from "@/ui/form/FormModal";
import { importGit } from "./api";

interface Values {
  url: string;
  ref?: string;
  subdir?: string;
}

interface GitImportFormProps {
  /** The draft to import into; made when the form is sent, where there is none yet. */
  target: () => Promise<VersionRef>;
  onStarted: (job: JobView, ref: VersionRef) => void;
  onClose: () => void;
}

export function GitImportForm({ target, onStarted, onClose }: GitImportFormProps) {
  const { t } = useTranslation("assets");
  return (
    <FormModal<Values>
      title={t("git.title")}
      submitText={t("git.submit")}
      initialValues={{ url: "" }}
      onSubmit={async ({ url, ref, subdir }) => {
        const version = await target();
        onStarted(await importGit(version, { url: url.trim(), ref: ref?.trim() || undefined, subdir: subdir?.trim() || undefined }), version);
      }}
      onClose={onClose}
    >
      <Form.Item name="url" label={t("git.url")} required extra={t("git.urlHint")} rules={[{ required: true, whitespace: true, message: t("git.urlMissing") }]}>
        <Input autoFocus autoComplete="off" spellCheck={false} placeholder="https://example.org/team/code.git" />
      </Form.Item>
      <Form.Item name="ref" label={t("git.ref")} extra={t("git.refHint")}>
        <Input autoComplete="off" spellCheck={false} maxLength={255} placeholder="main" />
      </Form.Item>
      <Form.Item name="subdir" label={t("git.subdir")} extra={t("git.subdirHint")}>
        <Input autoComplete="off" spellCheck={false} maxLength={1024} placeholder="src" />
      </Form.Item>
    </FormModal>
  );
}
