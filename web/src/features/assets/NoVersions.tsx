/** An asset without versions: three ways to begin. */
import { BranchesOutlined, CodeOutlined, UploadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTrackJob } from "@/features/activity/jobs";
import { CommandLine } from "@/ui/CommandLine";
import { EmptyState } from "@/ui/EmptyState";
import { useNotify } from "@/ui/notify";
import { versionPath } from "./addresses";
import { createVersion } from "./api";
import { refOf } from "./asset-actions";
import { pushCommand } from "./commands";
import { GitImportForm } from "./GitImportForm";
import { useRefresh } from "./queries";
import type { AssetView } from "./types";
import styles from "./Assets.module.css";

export function NoVersions({ asset }: { asset: AssetView }) {
  const { t } = useTranslation("assets");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefresh();
  const track = useTrackJob();
  const [isBusy, setBusy] = useState(false);
  const [isImporting, setImporting] = useState(false);
  /** A draft made for an import that was then refused is used for the next attempt. */
  const [made, setMade] = useState<number | null>(null);
  const ref = refOf(asset);

  if (!asset.permissions.includes("write")) return <EmptyState title={t("start.none")} />;
  const makeDraft = async () => {
    const number = made ?? (await createVersion(ref, {})).number;
    setMade(number);
    return { ...ref, version: number };
  };
  const open = async (version: number) => {
    await navigate(versionPath({ ...ref, version }), { replace: true });
    await refresh.asset(ref);
  };
  const start = async () => {
    setBusy(true);
    try {
      await open((await makeDraft()).version);
    } catch (error) {
      notify.failed(error);
      setBusy(false);
    }
  };
  return (
    <>
      <EmptyState title={t("start.title")} text={t("start.text")} />
      <div className={styles.starts}>
        <section className={styles.start}>
          <h3>
            <UploadOutlined aria-hidden />
            {t("start.upload")}
          </h3>
          <p>{t("start.uploadText")}</p>
          <Button type="primary" loading={isBusy} onClick={() => void start()}>
            {t("start.uploadButton")}
          </Button>
        </section>
        <section className={styles.start}>
          <h3>
            <BranchesOutlined aria-hidden />
            {t("git.action")}
          </h3>
          <p>{t("start.gitText")}</p>
          <Button onClick={() => setImporting(true)}>{t("start.gitButton")}</Button>
        </section>
        <section className={styles.start}>
          <h3>
            <CodeOutlined aria-hidden />
            {t("start.command")}
          </h3>
          <p>{t("start.commandText")}</p>
          <CommandLine text={pushCommand(asset.project, asset.kind, asset.name)} />
        </section>
      </div>
      {isImporting && (
        <GitImportForm
          target={makeDraft}
          onStarted={(job, version) => {
            track(job);
            void open(version.version);
          }}
          onClose={() => {
            setImporting(false);
            if (made !== null) void open(made);
          }}
        />
      )}
    </>
  );
}
