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
  /** From one of the allowed folders down to the one that is shown: above them there is nothing to see. */
  const [trail, setTrail] = useState<string[]>([]);
  const shown = trail.at(-1) ?? null;
  const listing = useQuery({ queryKey: ["import-folders", project, shown], queryFn: () => listImportFolder(project, shown) });
  const choose = (path: string, isFolder: boolean) => {
    onChange?.(path);
    if (isFolder) setTrail([...trail, path]);
  };
  const isTop = shown === null;
  const up = () => {
    onChange?.(trail.at(-2) ?? "");
    setTrail(trail.slice(0, -1));
  };
  return (
    <>
      <Input id={id} value={value} placeholder={t("imports.pathExample")} autoComplete="off" spellCheck={false} onChange={(event) => onChange?.(event.target.value)} />
      {listing.isPending && <Loading />}
      {listing.isError && <ErrorState error={listing.error} onRetry={() => (isTop ? void listing.refetch() : setTrail([]))} />}
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
