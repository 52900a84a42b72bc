import { BranchesOutlined, LockOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { FileBrowser } from "@/features/files/browse/FileBrowser";
import { refOf } from "./asset-actions";
import { GitJobs } from "./git-jobs";
import type { AssetView, VersionView } from "./types";
import { useVersionActions } from "./version-actions";
import styles from "./Assets.module.css";

export function FilesTab({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const { makeNewVersion, importGit, dialog } = useVersionActions(asset, version);
  const { project, kind, name } = { ...refOf(asset), name: asset.name };
  const ref = useMemo(() => ({ project, kind, asset: name, version: version.number }), [project, kind, name, version.number]);
  return (
    <>
      <GitJobs versionRef={ref} />
      <FileBrowser
        versionRef={ref}
        versionId={version.id}
        canEdit={version.can_edit}
        onEditRefused={version.can_edit ? undefined : makeNewVersion}
        readOnlyHint={
          version.state === "committed" && (
            <span className={styles.readOnly}>
              <LockOutlined aria-hidden />
              {t("committedText")}
              {makeNewVersion && (
                <Button size="small" type="link" onClick={makeNewVersion}>
                  {t("newVersion.toEdit")}
                </Button>
              )}
            </span>
          )
        }
        emptyAction={
          <Button icon={<BranchesOutlined aria-hidden />} onClick={importGit}>
            {t("git.action")}
          </Button>
        }
      />
      {dialog}
    </>
  );
}
