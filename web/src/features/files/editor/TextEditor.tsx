/** Edits one text file of a draft. The state of saving is always in sight. */
import { Alert, Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { isFailure } from "@/api/failure";
import { useFormat } from "@/lib/format";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import type { VersionRef } from "../version-ref";
import { useEditing } from "./editing-state";
import { useLeaveGuard } from "./leave-guard";
import { saveFile } from "./save-file";
import { StaleDialog } from "./StaleDialog";
import styles from "./Editor.module.css";

const CodeBox = lazy(() => import("../code/CodeBox"));

interface TextEditorProps {
  versionRef: VersionRef;
  /** Names the unsaved text in this browser. */
  keptKey: string;
  path: string;
  name: string;
  serverText: string;
  serverDigest: string | null;
  limitBytes: number;
  onSaved: () => void;
  onClose: () => void;
}

export default function TextEditor(props: TextEditorProps) {
  const { versionRef, path, name, limitBytes, onSaved, onClose } = props;
  const { t } = useTranslation("files");
  const format = useFormat();
  const notify = useNotify();
  const editing = useEditing(props.keptKey, props.serverText, props.serverDigest);
  const [isBusy, setBusy] = useState(false);
  /** Set while somebody else's content is in the way: its digest, null when they removed the file. */
  const [stale, setStale] = useState<{ digest: string | null } | null>(null);
  const [round, setRound] = useState(0);
  const isTooBig = new Blob([editing.text]).size > limitBytes;
  const isNew = editing.base === null;
  useLeaveGuard(editing.isDirty && !isBusy, name);

  const save = async (base: string | null = editing.base) => {
    if (isBusy || isTooBig || (!editing.isDirty && !isNew)) return;
    const text = editing.text;
    setBusy(true);
    try {
      const { digest } = await saveFile(versionRef, path, text, base);
      editing.saved(text, digest);
      setStale(null);
      onSaved();
    } catch (error) {
      if (isFailure(error, "stale")) setStale({ digest: digestIn(error.body.details) });
      else notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  const startAgain = (text: string, digest: string | null) => {
    editing.startAgain(text, digest);
    setRound(round + 1);
  };
  const disabledReason = isTooBig ? t("editor.tooBig", { limit: format.bytes(limitBytes) }) : !editing.isDirty && !isNew ? t("editor.nothingToSave") : undefined;
  return (
    <div className={styles.editor}>
      <div className={styles.bar}>
        <span className={styles.state} data-unsaved={editing.isDirty || undefined} role="status">
          {stateText()}
        </span>
        <Button size="small" onClick={onClose}>
          {t("editor.close")}
        </Button>
        <Button size="small" type="primary" loading={isBusy} disabled={disabledReason !== undefined} title={disabledReason ?? t("editor.saveKeys")} onClick={() => void save()}>
          {t("editor.save")}
        </Button>
      </div>
      {editing.restored && (
        <Alert
          type="info"
          banner
          title={t("editor.restored", { when: format.relative(editing.restored.at) })}
          action={
            <Button size="small" onClick={() => startAgain(props.serverText, props.serverDigest)}>
              {t("editor.discard")}
            </Button>
          }
        />
      )}
      <div className={styles.body}>
        <Suspense fallback={<Loading />}>
          <CodeBox key={round} text={editing.text} path={path} label={name} isEditable onChange={editing.change} onSave={() => void save()} />
        </Suspense>
      </div>
      {stale && (
        <StaleDialog
          versionRef={versionRef}
          path={path}
          mine={editing.text}
          limit={limitBytes}
          onOverwrite={() => save(stale.digest)}
          onTakeTheirs={(text) => {
            setStale(null);
            startAgain(text, stale.digest);
            onSaved();
          }}
          onClose={() => setStale(null)}
        />
      )}
    </div>
  );

  function stateText(): string {
    if (isBusy) return t("editor.saving");
    if (isTooBig) return t("editor.tooBig", { limit: format.bytes(limitBytes) });
    if (!editing.isDirty) return isNew ? t("editor.new") : t("editor.saved");
    return editing.isKept ? t("editor.unsaved") : t("editor.unsavedNotKept");
  }
}

function digestIn(details: unknown): string | null {
  const isNamed = typeof details === "object" && details !== null && "digest" in details && typeof details.digest === "string";
  return isNamed ? (details.digest as string) : null;
}
