import { FileAddOutlined, FolderOpenOutlined, UploadOutlined } from "@ant-design/icons";
import { Button, Dropdown } from "antd";
import { useRef } from "react";
import { useTranslation } from "react-i18next";

declare module "react" {
  interface InputHTMLAttributes<T> {
    /** Makes a file input choose a folder; every browser has it, React's types do not. */
    webkitdirectory?: T extends HTMLInputElement ? string : never;
  }
}

/** Browsers have one picker for files and another for a folder, so there are two entries. */
export function UploadButton({ onPicked }: { onPicked: (files: Iterable<File>) => void }) {
  const { t } = useTranslation("files");
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    onPicked([...(input.files ?? [])]);
    input.value = ""; // so that the same file can be chosen again
  };
  return (
    <>
      <input ref={files} type="file" multiple hidden aria-label={t("upload.files")} onChange={(event) => take(event.currentTarget)} />
      <input ref={folder} type="file" hidden aria-label={t("upload.folder")} webkitdirectory="" onChange={(event) => take(event.currentTarget)} />
      <Dropdown
        trigger={["click"]}
        menu={{
          items: [
            { key: "files", icon: <FileAddOutlined aria-hidden />, label: t("upload.files"), onClick: () => files.current?.click() },
            { key: "folder", icon: <FolderOpenOutlined aria-hidden />, label: t("upload.folder"), onClick: () => folder.current?.click() },
          ],
        }}
      >
        <Button size="small" type="primary" icon={<UploadOutlined aria-hidden />}>
          {t("upload.button")}
        </Button>
      </Dropdown>
    </>
  );
}
