/** A file of `docker save` (or an OCI archive) becomes an image. It is sent in the corner of the page; one may go elsewhere. */
import { UploadOutlined } from "@ant-design/icons";
import { Button, Form } from "antd";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useTrackJob } from "@/features/activity/jobs";
import { uploads } from "@/features/files/upload/uploads";
import { projectPath } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { CommandLine } from "@/ui/CommandLine";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField } from "@/ui/form/fields";
import { importImage } from "./api";
import { ImageNameFields } from "./ImageFields";
import styles from "./Images.module.css";

const SAVE_COMMAND = "docker save my-image:1.0 -o my-image.tar";

interface Values {
  file: File | null;
  name: string;
  version: string;
  description: string;
}

export function UploadImageForm({ project, onClose }: { project: string; onClose: () => void }) {
  const { t } = useTranslation("images");
  const track = useTrackJob();
  const send = ({ file, name, version, description }: Values) => {
    if (!file) return Promise.resolve();
    const about = { name: name.trim(), version: version.trim(), description };
    uploads.addFile(project, { title: `${about.name}:${about.version}`, link: projectPath(project, "images") }, file, async (sha256, signal) => track(await importImage(project, { sha256, ...about }, signal)));
    return Promise.resolve();
  };
  return (
    <FormModal<Values> title={t("upload.title")} submitText={t("upload.submit")} initialValues={{ file: null, name: "", version: "1.0", description: "" }} onSubmit={send} onClose={onClose}>
      <Form.Item name="file" label={t("upload.file")} extra={t("upload.fileHint")} required rules={[{ required: true, message: t("upload.fileMissing") }]}>
        <FileInput />
      </Form.Item>
      <div className={styles.between}>
        <CommandLine label={t("upload.make")} text={SAVE_COMMAND} />
      </div>
      <ImageNameFields autoFocus={false} />
      <DescriptionField />
    </FormModal>
  );
}

interface FileInputProps {
  id?: string;
  value?: File | null;
  onChange?: (file: File | null) => void;
}

function FileInput({ id, value, onChange }: FileInputProps) {
  const { t } = useTranslation("images");
  const format = useFormat();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.file}>
      <input
        ref={input}
        type="file"
        className={styles.picker}
        tabIndex={-1}
        aria-label={t("upload.file")}
        accept=".tar,.tgz,.gz,application/x-tar,application/gzip"
        onChange={(event) => onChange?.(event.target.files?.[0] ?? null)}
      />
      <Button id={id} icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
        {t("upload.choose")}
      </Button>
      <span className={value ? styles.fileName : "tm-muted"}>{value ? t("upload.chosen", { name: value.name, size: format.bytes(value.size) }) : t("upload.none")}</span>
    </div>
  );
}
