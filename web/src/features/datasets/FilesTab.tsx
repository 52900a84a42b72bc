import { LockOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { FileBrowser } from "@/features/files/browse/FileBrowser";
import type { DatasetVersionView, DatasetView } from "./types";
import styles from "./Datasets.module.css";

/** The version's files as they are: they come by imports and go with their items, so here they are only looked at. */
export function FilesTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  return (
    <FileBrowser
      versionRef={{ project: dataset.project, kind: "datasets", asset: dataset.name, version: version.number }}
      versionId={version.id}
      canEdit={false}
      readOnlyHint={
        <span className={styles.hint}>
          <LockOutlined aria-hidden /> {version.work === "published" ? t("files.published") : t("files.draft")}
        </span>
      }
    />
  );
}
