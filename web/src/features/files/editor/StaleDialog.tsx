/** Somebody else changed the file meanwhile: theirs, mine, or go on editing. */
import { useQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { decodeText, fetchBeginning } from "../preview/file-content";
import { versionAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import styles from "./Editor.module.css";

const CodeDiff = lazy(() => import("../code/CodeDiff"));

interface StaleDialogProps {
  versionRef: VersionRef;
  path: string;
  mine: string;
  limit: number;
  onOverwrite: () => Promise<unknown>;
  onTakeTheirs: (text: string) => void;
  onClose: () => void;
}

export function StaleDialog({ versionRef, path, mine, limit, onOverwrite, onTakeTheirs, onClose }: StaleDialogProps) {
  const { t } = useTranslation("files");
  const [isBusy, setBusy] = useState(false);
  const theirs = useQuery({
    queryKey: ["file-now", versionAddress(versionRef), path],
    queryFn: async ({ signal }) => decodeText(await fetchBeginning(versionRef, path, limit, signal)),
    gcTime: 0,
    staleTime: 0,
  });
  const left = useMemo(() => ({ label: t("editor.theirs"), text: theirs.data ?? "" }), [t, theirs.data]);
  const right = useMemo(() => ({ label: t("editor.mine"), text: mine }), [t, mine]);
  return (
    <Modal
      open
      width={1040}
      title={t("editor.staleTitle")}
      onCancel={onClose}
      footer={[
        <Button key="theirs" disabled={theirs.data === undefined} onClick={() => onTakeTheirs(theirs.data ?? "")}>
          {t("editor.takeTheirs")}
        </Button>,
        <Button
          key="mine"
          danger
          loading={isBusy}
          onClick={async () => {
            setBusy(true);
            await onOverwrite();
            setBusy(false);
          }}
        >
          {t("editor.overwrite")}
        </Button>,
        <Button key="stay" type="primary" onClick={onClose}>
          {t("editor.keepEditing")}
        </Button>,
      ]}
    >
      <p>{t("editor.staleText")}</p>
      <div className={styles.diffHead}>
        <span>{left.label}</span>
        <span>{right.label}</span>
      </div>
      <div className={styles.diff}>
        {theirs.isError && <ErrorState error={theirs.error} onRetry={() => void theirs.refetch()} />}
        {theirs.isPending && <Loading />}
        {theirs.data !== undefined && (
          <Suspense fallback={<Loading />}>
            <CodeDiff path={path} left={left} right={right} />
          </Suspense>
        )}
      </div>
    </Modal>
  );
}
