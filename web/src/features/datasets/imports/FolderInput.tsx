import { FileOutlined, FolderOutlined, LeftOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Input } from "antd";
import { useTranslation } from "react-i18next";
import { useState } from "react";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { listImportFolder } from "../works/api";
import styles from "../works/Works.module.css";

interface FolderInputProps {
  id?: string;
  project: string;
  value?: string;
  onChange?: (path: string) => void;
}

/** A folder or file of the server, typed or found below those that an administrator allowed. */
export function FolderInput({ id, project, value = "", onChange }: FolderInputProps) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const [shown, setShown] = useState<string | null>(null);
  const listing = useQuery({ queryKey: ["import-folders", project, shown], queryFn: () => listImportFolder(project, shown) });
  const choose = (path: string, isFolder: boolean) => {
    onChange?.(path);
    if (isFolder) setShown(path);
  };
  const isTop = shown === null;
  const up = () => setShown(parentOf(shown ?? ""));
  return (
    <>
      <Input id={id} value={value} placeholder={t("imports.pathExample")} autoComplete="off" spellCheck={false} onChange={(event) => onChange?.(event.target.value)} />
      {listing.isPending && <Loading />}
      {listing.isError && <ErrorState error={listing.error} onRetry={() => (isTop ? void listing.refetch() : setShown(null))} />}
      {listing.data && isTop && listing.data.items.length === 0 && <p className="tm-muted">{t("imports.noFolders")}</p>}
      {listing.data && (listing.data.items.length > 0 || !isTop) && (
        <ul className={styles.folders} aria-label={t("imports.folders")}>
          {!isTop && (
            <li>
              <button type="button" onClick={up}>
                <LeftOutlined aria-hidden /> {t("imports.up")}
              </button>
            </li>
          )}
          {listing.data.items.map((entry) => (
            <li key={entry.path}>
              <button type="button" onClick={() => choose(entry.path, entry.is_folder)}>
                {entry.is_folder ? <FolderOutlined aria-hidden /> : <FileOutlined aria-hidden />}
                {entry.name}
                {entry.size_bytes !== null && <small>{format.bytes(entry.size_bytes)}</small>}
              </button>
            </li>
          ))}
          {listing.data.is_cut && <li className="tm-muted">{t("imports.cut")}</li>}
        </ul>
      )}
    </>
  );
}

/** Null is the list of the allowed folders themselves; the server refuses what is above them. */
function parentOf(path: string): string | null {
  const end = path.replace(/\/+$/, "").lastIndexOf("/");
  return end <= 0 ? null : path.slice(0, end);
}
