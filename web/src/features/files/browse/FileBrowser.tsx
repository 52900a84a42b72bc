/** The files of a version: a folder's rows on the left, the open file on the right. Folder, file and search are in the address. */
import { DeleteOutlined, DownloadOutlined, EditOutlined, FileAddOutlined, FolderAddOutlined, PlusOutlined, SwapOutlined } from "@ant-design/icons";
import { Button, Dropdown, Grid, Skeleton } from "antd";
import { useEffect, useEffectEvent, useState } from "react";
import type { DragEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { isNotFound } from "@/api/failure";
import type { EntryView } from "@/features/assets/types";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { withChanges } from "@/ui/address";
import { SearchBox } from "@/ui/list/SearchBox";
import type { RowAction } from "@/ui/list/types";
import { crumbsOf, isWithin, parentOf } from "../paths";
import { archiveAddress, fileAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { droppedPaths, isPathDrag } from "./drag";
import { useFileActions } from "./file-actions";
import type { FileActions, Move } from "./file-actions";
import { FilePane } from "./FilePane";
import { FileTable } from "./FileTable";
import { keepOnly, NOTHING } from "./selection";
import type { Selection } from "./selection";
import { useFolder } from "./tree-data";
import { useUploadInto } from "./upload-drop";
import { UploadButton } from "./UploadButton";
import styles from "./Browse.module.css";

interface FileBrowserProps {
  versionRef: VersionRef;
  versionId: string;
  canEdit: boolean;
  /** What to do with an empty version, beyond uploading. */
  emptyAction?: ReactNode;
  /** Offers a way to edit a file of a version that never changes. */
  onEditRefused?: () => void;
  /** Stands in place of the editing buttons where nothing can be edited. */
  readOnlyHint?: ReactNode;
}

export function FileBrowser({ versionRef, versionId, canEdit, emptyAction, onEditRefused, readOnlyHint }: FileBrowserProps) {
  const { t } = useTranslation("files");
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { lg: isWide = true } = Grid.useBreakpoint();
  const [isMaximised, setMaximised] = useState(false);
  const folder = params.get("path") ?? "";
  const openPath = params.get("file");
  const q = params.get("q") ?? "";
  // At once, not when React finds the time: what was just deleted must not be asked for again meanwhile.
  const go = (changes: Record<string, string | null>) => navigate({ search: `?${withChanges(params, changes)}` }, { flushSync: true });

  const data = useFolder(versionRef, folder, q);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const shown = keepOnly(selection, data.entries.map((entry) => entry.path));
  const isWhole = q === "" && data.query.isSuccess && !data.query.hasNextPage && !data.query.isPlaceholderData;
  const upload = useUploadInto(versionRef, folder, isWhole ? new Set(data.entries.map((entry) => entry.name)) : null);
  const actions = useFileActions(versionRef, {
    onNewFile: (path) => void go({ file: path, edit: "new" }),
    onGone: async (paths, moves) => {
      setSelection(NOTHING);
      const changes = { ...fileAfter(openPath, paths, moves), ...(isWhole && isEmptied(folder, data.entries, paths, moves) && { path: parentOf(folder) }) };
      if (Object.keys(changes).length > 0) await go(changes);
    },
  });
  const openFolder = (path: string) => {
    setSelection(NOTHING);
    void go({ path, q: null });
  };
  const isFolderGone = folder !== "" && isNotFound(data.query.error);
  const goUp = useEffectEvent(() => void go({ path: parentOf(folder), q: null }));
  useEffect(() => {
    // A folder goes with its last file.
    if (isFolderGone) goUp();
  }, [isFolderGone, folder]);

  const open = (entry: EntryView) => (entry.type === "dir" ? openFolder(entry.path) : void go({ file: entry.path, edit: null }));
  const rowActions = (entry: EntryView) => rowActionsOf(entry);
  const layout = openPath === null ? undefined : isMaximised || !isWide ? "wide" : "split";

  return (
    <div className={styles.browser} data-open={layout} {...(canEdit ? upload.handlers : {})}>
      <div className={styles.list}>
        <div className={styles.tools}>
          <Place folder={folder} onOpen={openFolder} onDrop={canEdit ? actions.moveInto : undefined} />
          <SearchBox className={styles.search} value={q} label={t("browser.search")} onSearch={(text) => void go({ q: text })} />
          {!canEdit && readOnlyHint}
          {canEdit && <NewButton folder={folder} actions={actions} />}
          {canEdit && <UploadButton onPicked={upload.takeInput} />}
        </div>
        {shown.ticked.size > 0 && <PickedBar versionRef={versionRef} selection={shown} entries={data.entries} actions={canEdit ? actions : null} onClear={() => setSelection(NOTHING)} />}
        <div className={styles.scroll}>{rows()}</div>
        <Foot data={data} found={upload.found} />
      </div>
      {openPath !== null && (
        <FilePane
          key={openPath}
          versionRef={versionRef}
          versionId={versionId}
          path={openPath}
          isEditing={params.has("edit")}
          isNew={params.get("edit") === "new"}
          canEdit={canEdit}
          isMaximised={isMaximised}
          onMaximise={isWide ? setMaximised : undefined}
          onOpen={(path) => void go({ file: path, path: parentOf(path), edit: null })}
          onEdit={canEdit ? (isOn) => void go({ edit: isOn ? "1" : null }) : undefined}
          onCreated={() => void go({ path: parentOf(openPath), edit: "1" })}
          onEditRefused={onEditRefused}
          onClose={() => void go({ file: null, edit: null })}
        />
      )}
      {upload.isOver && <div className={styles.drop}>{folder ? t("upload.dropInto", { folder }) : t("upload.drop")}</div>}
      {actions.dialog}
    </div>
  );

  function rows(): ReactNode {
    if (data.query.isPending || isFolderGone) return <Skeleton active title={false} paragraph={{ rows: 6, width: "100%" }} style={{ padding: 16 }} />;
    if (data.query.isError && data.entries.length === 0) return <ErrorState error={data.query.error} onRetry={() => void data.query.refetch()} />;
    if (data.entries.length === 0) return <NoFiles isSearch={q !== ""} isRoot={folder === ""} canEdit={canEdit} action={emptyAction} />;
    return (
      <FileTable
        entries={data.entries}
        isSearch={q !== ""}
        isCompact={layout !== undefined}
        openPath={openPath}
        selection={shown}
        onSelection={setSelection}
        onOpen={open}
        onUp={() => {
          if (folder !== "") openFolder(parentOf(folder));
        }}
        rowActions={rowActions}
        edit={canEdit ? actions : undefined}
      />
    );
  }

  function rowActionsOf(entry: EntryView): RowAction[] {
    const address = entry.type === "dir" ? archiveAddress(versionRef, "zip", entry.path) : fileAddress(versionRef, entry.path, true);
    const download: RowAction = {
      key: "download",
      label: entry.type === "dir" ? t("action.downloadZip") : t("action.download"),
      icon: <DownloadOutlined aria-hidden />,
      onClick: () => window.location.assign(address),
    };
    if (!canEdit) return [download];
    return [
      download,
      { key: "rename", label: t("action.rename"), icon: <EditOutlined aria-hidden />, onClick: () => actions.rename(entry.path) },
      { key: "move", label: t("action.move"), icon: <SwapOutlined aria-hidden />, onClick: () => actions.move([entry.path]) },
      { key: "delete", label: t("action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: () => actions.remove([entry.path]) },
    ];
  }
}

/** The open file stays open where it was moved to, and is closed when it is gone. */
function fileAfter(openPath: string | null, paths: string[], moves: Move[]): Record<string, string | null> {
  if (openPath === null || !paths.some((path) => isWithin(path, openPath))) return {};
  const move = moves.find(({ from }) => isWithin(from, openPath));
  return { file: move ? move.to + openPath.slice(move.from.length) : null, edit: null };
}

function isEmptied(folder: string, entries: EntryView[], paths: string[], moves: Move[]): boolean {
  return entries.every((entry) => paths.includes(entry.path)) && !moves.some(({ to }) => isWithin(folder, to));
}

function Place({ folder, onOpen, onDrop }: { folder: string; onOpen: (path: string) => void; onDrop?: (folder: string, paths: string[]) => void }) {
  const { t } = useTranslation("files");
  const [over, setOver] = useState<string | null>(null);
  const crumbs = [{ name: t("browser.root"), path: "" }, ...crumbsOf(folder)];
  const target = (path: string) => ({
    "data-target": over === path || undefined,
    onDragOver: (event: DragEvent) => {
      if (!onDrop || path === folder || !isPathDrag(event.dataTransfer)) return;
      event.preventDefault();
      setOver(path);
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: DragEvent) => {
      if (!onDrop || !isPathDrag(event.dataTransfer)) return;
      event.preventDefault();
      setOver(null);
      onDrop(path, droppedPaths(event.dataTransfer));
    },
  });
  return (
    <nav className={styles.place} aria-label={t("browser.place")}>
      {crumbs.map((crumb, index) => (
        <span key={crumb.path}>
          {index > 0 && <span className="tm-muted">/</span>}
          <button
            type="button"
            className={styles.crumb}
            title={crumb.name}
            aria-current={crumb.path === folder ? "page" : undefined}
            onClick={() => onOpen(crumb.path)}
            {...target(crumb.path)}
          >
            {crumb.name}
          </button>
        </span>
      ))}
    </nav>
  );
}

function NewButton({ folder, actions }: { folder: string; actions: FileActions }) {
  const { t } = useTranslation("files");
  return (
    <Dropdown
      trigger={["click"]}
      menu={{
        items: [
          { key: "file", icon: <FileAddOutlined aria-hidden />, label: t("newFile.menu"), onClick: () => actions.newFile(folder) },
          { key: "folder", icon: <FolderAddOutlined aria-hidden />, label: t("newFolder.menu"), onClick: () => actions.newFolder(folder) },
        ],
      }}
    >
      <Button size="small" icon={<PlusOutlined aria-hidden />}>
        {t("browser.new")}
      </Button>
    </Dropdown>
  );
}

interface PickedBarProps {
  versionRef: VersionRef;
  selection: Selection;
  entries: EntryView[];
  actions: FileActions | null;
  onClear: () => void;
}

function PickedBar({ versionRef, selection, entries, actions, onClear }: PickedBarProps) {
  const { t } = useTranslation("files");
  const paths = [...selection.ticked];
  const only = paths.length === 1 ? entries.find((entry) => entry.path === paths[0]) : undefined;
  const address = only && (only.type === "dir" ? archiveAddress(versionRef, "zip", only.path) : fileAddress(versionRef, only.path, true));
  return (
    <div className={styles.picked} role="region" aria-label={t("browser.selection")}>
      <strong>{t("browser.selected", { count: paths.length })}</strong>
      {address && (
        <Button size="small" icon={<DownloadOutlined aria-hidden />} href={address}>
          {t("action.download")}
        </Button>
      )}
      {actions && (
        <>
          <Button size="small" icon={<SwapOutlined aria-hidden />} onClick={() => actions.move(paths)}>
            {t("action.move")}
          </Button>
          <Button size="small" danger icon={<DeleteOutlined aria-hidden />} onClick={() => actions.remove(paths)}>
            {t("action.delete")}
          </Button>
        </>
      )}
      <Button size="small" type="text" onClick={onClear}>
        {t("browser.clear")}
      </Button>
    </div>
  );
}

function Foot({ data, found }: { data: ReturnType<typeof useFolder>; found: number | null }) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const { query, entries, total } = data;
  const figures = { shown: format.number(entries.length), total: format.number(total ?? entries.length) };
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{found === null ? t("browser.shown", figures) : t("upload.reading", { figure: format.number(found) })}</span>
      {query.hasNextPage && (
        <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("browser.more")}
        </Button>
      )}
    </div>
  );
}

function NoFiles({ isSearch, isRoot, canEdit, action }: { isSearch: boolean; isRoot: boolean; canEdit: boolean; action?: ReactNode }) {
  const { t } = useTranslation("files");
  if (isSearch) return <EmptyState picture="search" title={t("empty.search")} />;
  if (!isRoot) return <EmptyState title={t("empty.folder")} text={canEdit ? t("empty.dropText") : undefined} />;
  return <EmptyState title={t("empty.version")} text={canEdit ? t("empty.dropText") : undefined} action={canEdit && action} />;
}
