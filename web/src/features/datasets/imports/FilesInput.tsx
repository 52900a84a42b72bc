import { FileAddOutlined, FolderOpenOutlined, InboxOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useRef, useState } from "react";
import type { DragEvent } from "react";
import { useTranslation } from "react-i18next";
import { pickFromDrop, pickFromInput } from "@/features/files/upload/pick";
import type { Picked } from "@/features/files/upload/pick";
import { useFormat } from "@/lib/format";
import styles from "../works/Works.module.css";

interface FilesInputProps {
  id?: string;
  value?: Picked | null;
  onChange?: (picked: Picked | null) => void;
}

/** Archives, loose files or a whole folder: chosen or dropped. */
export function FilesInput({ id, value, onChange }: FilesInputProps) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void pickFromDrop(event.dataTransfer, () => undefined).then((picked) => onChange?.(picked));
  };
  const count = value?.files.length ?? 0;
  const bytes = value?.files.reduce((sum, { file }) => sum + file.size, 0) ?? 0;
  return (
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <InboxOutlined aria-hidden style={{ fontSize: 28, color: "var(--tm-text-muted)" }} />
      {count > 0 && value ? (
        <span aria-live="polite">
          {count === 1 ? t("imports.oneFile", { name: value.files[0]?.path, size: format.bytes(bytes) }) : t("imports.manyFiles", { count, number: format.number(count), size: format.bytes(bytes) })}
          {value.skipped.length > 0 && ` ${t("imports.leftovers", { count: value.skipped.length })}`}
        </span>
      ) : (
        <span className="tm-muted">{t("imports.drop")}</span>
      )}
      <span className={styles.inline}>
        <Button id={id} icon={<FileAddOutlined aria-hidden />} onClick={() => files.current?.click()}>
          {t("imports.chooseFiles")}
        </Button>
        <Button icon={<FolderOpenOutlined aria-hidden />} onClick={() => folder.current?.click()}>
          {t("imports.chooseFolder")}
        </Button>
      </span>
      <input ref={files} type="file" multiple className="tm-hidden" tabIndex={-1} aria-label={t("imports.files")} onChange={(event) => onChange?.(pickFromInput(event.target.files ?? []))} />
      <input ref={folder} type="file" multiple className="tm-hidden" tabIndex={-1} aria-label={t("imports.chooseFolder")} {...{ webkitdirectory: "" }} onChange={(event) => onChange?.(pickFromInput(event.target.files ?? []))} />
    </div>
  );
}
