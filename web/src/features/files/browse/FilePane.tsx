/** One open file: its name, what can be done with it, and the file itself. */
import { CloseOutlined, DownloadOutlined, EditOutlined, FullscreenExitOutlined, FullscreenOutlined, PartitionOutlined } from "@ant-design/icons";
import { Segmented } from "antd";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isNotFound } from "@/api/failure";
import { useRefresh } from "@/features/assets/queries";
import type { EntryView } from "@/features/assets/types";
import { useMeta } from "@/features/session/me";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { Loading } from "@/ui/Loading";
import { baseName } from "../paths";
import { decodeText, fetchBeginning } from "../preview/file-content";
import { FilePreview } from "../preview/FilePreview";
import { hasStructure, isTextual, previewKindOf } from "../preview/preview-kind";
import { StructureView } from "../StructureView";
import { fileAddress, versionAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { useEntry } from "./tree-data";
import styles from "./Browse.module.css";

const TextEditor = lazy(() => import("../editor/TextEditor"));
const EDIT_BYTES_DEFAULT = 8 * 1024 * 1024;

export interface FilePaneProps {
  versionRef: VersionRef;
  versionId: string;
  path: string;
  isEditing: boolean;
  /** Not on the server until it is saved for the first time. */
  isNew: boolean;
  canEdit: boolean;
  isMaximised: boolean;
  onMaximise?: (isOn: boolean) => void;
  onOpen: (path: string) => void;
  onEdit?: (isOn: boolean) => void;
  /** A new file has been saved for the first time. */
  onCreated: () => void;
  onEditRefused?: () => void;
  onClose: () => void;
}

type Mode = "preview" | "source" | "structure";

export function FilePane(props: FilePaneProps) {
  const { versionRef, path, isEditing, isNew, onEdit } = props;
  const { t } = useTranslation("files");
  const entry = useEntry(versionRef, path, !isNew);
  const [mode, setMode] = useState<Mode>("preview");
  const [wasNew] = useState(isNew);
  const isMissing = isNew || isNotFound(entry.error);
  const file = entry.data;

  return (
    <section className={styles.file} aria-label={path}>
      <Head {...props} file={file} mode={mode} onMode={setMode} />
      <div className={styles.fileBody}>{body()}</div>
    </section>
  );

  function body(): ReactNode {
    if (isEditing && onEdit && (file || isMissing || wasNew)) return <EditPane {...props} file={file ?? null} onEdit={onEdit} />;
    if (isMissing) return <EmptyState picture="search" title={t("file.missing")} text={t("file.missingText")} />;
    if (entry.isError) return <ErrorState error={entry.error} onRetry={() => void entry.refetch()} />;
    if (!file) return <Loading />;
    if (file.type === "dir" || !file.digest) return <EmptyState title={t("file.folder")} />;
    if (mode === "structure") return <StructureView versionRef={versionRef} path={path} />;
    const kind = mode === "source" ? "text" : previewKindOf(file);
    return <FilePreview key={`${file.digest} ${kind}`} versionRef={versionRef} file={{ ...file, digest: file.digest }} kind={kind} onOpen={props.onOpen} />;
  }
}

interface HeadProps extends FilePaneProps {
  file: EntryView | undefined;
  mode: Mode;
  onMode: (mode: Mode) => void;
}

function Head({ versionRef, path, file, mode, isEditing, isMaximised, onMode, onMaximise, onEdit, onEditRefused, onClose }: HeadProps) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const limit = useMeta()?.limits.text_edit_bytes ?? EDIT_BYTES_DEFAULT;
  const kind = file && previewKindOf(file);
  const canBeText = kind !== undefined && isTextual(kind, path);
  const modes: { value: Mode; label: string }[] = [
    { value: "preview", label: t("file.preview") },
    ...(canBeText && kind !== "text" ? [{ value: "source" as const, label: t("file.source") }] : []),
    ...(hasStructure(path) ? [{ value: "structure" as const, label: t("file.structure") }] : []),
  ];
  const edit = onEdit ? () => onEdit(true) : onEditRefused;
  const isTooBig = file !== undefined && file.size_bytes > limit;
  return (
    <header className={styles.fileHead}>
      <div className={styles.fileName}>
        <h2 title={path}>{baseName(path)}</h2>
        {file && <small className="tm-muted">{format.bytes(file.size_bytes)}</small>}
      </div>
      {!isEditing && modes.length > 1 && (
        <Segmented<Mode> size="small" aria-label={t("file.mode")} value={mode} options={modes.map((option) => (option.value === "structure" ? { ...option, icon: <PartitionOutlined aria-hidden /> } : option))} onChange={onMode} />
      )}
      {!isEditing && canBeText && edit && (
        <IconButton icon={<EditOutlined aria-hidden />} disabled={isTooBig} label={isTooBig ? t("editor.tooBig", { limit: format.bytes(limit) }) : t("file.edit")} onClick={edit} />
      )}
      <CopyButton text={path} label={t("file.copyPath")} />
      <IconButton icon={<DownloadOutlined aria-hidden />} label={t("action.download")} href={fileAddress(versionRef, path, true)} />
      {onMaximise && (
        <IconButton
          icon={isMaximised ? <FullscreenExitOutlined aria-hidden /> : <FullscreenOutlined aria-hidden />}
          label={isMaximised ? t("file.restore") : t("file.maximise")}
          onClick={() => onMaximise(!isMaximised)}
        />
      )}
      <IconButton icon={<CloseOutlined aria-hidden />} label={t("file.close")} onClick={onClose} />
    </header>
  );
}

function EditPane({ versionRef, versionId, path, file, isNew, onCreated, onEdit }: FilePaneProps & { file: EntryView | null; onEdit: (isOn: boolean) => void }) {
  const refresh = useRefresh();
  const limit = useMeta()?.limits.text_edit_bytes ?? EDIT_BYTES_DEFAULT;
  // Read once when editing begins: what is typed is compared with this, whatever others do meanwhile.
  const [opened] = useState(file?.digest ?? null);
  const text = useQuery({
    queryKey: ["file-edit", versionAddress(versionRef), path, opened],
    queryFn: async ({ signal }) => (opened === null ? "" : decodeText(await fetchBeginning(versionRef, path, limit, signal))),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (text.isError) return <ErrorState error={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      <TextEditor
        versionRef={versionRef}
        keptKey={`${versionId}:${path}`}
        path={path}
        name={baseName(path)}
        serverText={text.data}
        serverDigest={opened}
        limitBytes={limit}
        onSaved={() => {
          if (isNew) onCreated();
          void refresh.files(versionRef);
        }}
        onClose={() => onEdit(false)}
      />
    </Suspense>
  );
}
