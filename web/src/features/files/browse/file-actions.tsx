/** What can be done with files of a draft, and the dialogs it takes. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isFailure } from "@/api/failure";
import { useRefresh } from "@/features/assets/queries";
import { useConfirm } from "@/ui/confirm";
import { useNotify } from "@/ui/notify";
import { deleteFiles, makeFolder, moveFiles } from "../api";
import { baseName, movesInto } from "../paths";
import type { VersionRef } from "../version-ref";
import { MoveDialog, NameDialog, RenameDialog } from "./FileDialogs";

type Dialog = { kind: "folder" | "file"; folder: string } | { kind: "rename"; path: string } | { kind: "move"; paths: string[] };

export interface Move {
  from: string;
  to: string;
}

export interface FileActions {
  newFile: (folder: string) => void;
  newFolder: (folder: string) => void;
  rename: (path: string) => void;
  move: (paths: string[]) => void;
  moveInto: (folder: string, paths: string[]) => void;
  remove: (paths: string[]) => void;
  dialog: ReactNode;
}

interface Options {
  /** A new file is made by saving it, so the editor is opened for it. */
  onNewFile: (path: string) => void;
  /** Paths that are no longer there, and where they went if they were moved. */
  onGone: (paths: string[], moves: Move[]) => Promise<void>;
}

export function useFileActions(ref: VersionRef, { onNewFile, onGone }: Options): FileActions {
  const { t } = useTranslation("files");
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefresh();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);

  const apply = async (moves: Move[], overwrite = false) => {
    await moveFiles(ref, moves, overwrite);
    await onGone(
      moves.map((move) => move.from),
      moves,
    );
    await refresh.files(ref);
  };
  const moveInto = (folder: string, paths: string[]) => {
    const moves = movesInto(folder, paths);
    if (moves.length === 0) return Promise.resolve();
    return apply(moves).catch((error: unknown) => {
      if (!isFailure(error) || error.status !== 409) throw error;
      confirm({
        title: t("move.clashTitle"),
        text: error.message,
        okText: t("move.overwrite"),
        onConfirm: () => apply(moves, true),
      });
    });
  };
  const remove = (paths: string[]) => {
    const [only = ""] = paths;
    confirm({
      title: paths.length === 1 ? t("delete.titleOne", { name: baseName(only) }) : t("delete.titleMany", { count: paths.length }),
      text: t("delete.text"),
      okText: t("delete.submit"),
      onConfirm: async () => {
        await deleteFiles(ref, paths);
        await onGone(paths, []);
        await refresh.files(ref);
      },
    });
  };
  return {
    newFile: (folder) => setDialog({ kind: "file", folder }),
    newFolder: (folder) => setDialog({ kind: "folder", folder }),
    rename: (path) => setDialog({ kind: "rename", path }),
    move: (paths) => setDialog({ kind: "move", paths }),
    moveInto: (folder, paths) => void moveInto(folder, paths).catch(notify.failed),
    remove,
    dialog: dialog && renderDialog(dialog),
  };

  function renderDialog(open: Dialog): ReactNode {
    switch (open.kind) {
      case "file":
        return (
          <NameDialog
            title={t("newFile.title")}
            label={t("newFile.label")}
            hint={t("newFile.hint")}
            submitText={t("newFile.submit")}
            folder={open.folder}
            onSubmit={(path) => Promise.resolve(onNewFile(path))}
            onClose={close}
          />
        );
      case "folder":
        return (
          <NameDialog
            title={t("newFolder.title")}
            label={t("newFolder.label")}
            submitText={t("newFolder.submit")}
            folder={open.folder}
            onSubmit={async (path) => {
              await makeFolder(ref, path);
              await refresh.files(ref);
            }}
            onClose={close}
          />
        );
      case "rename":
        return <RenameDialog path={open.path} onSubmit={(to) => apply([{ from: open.path, to }])} onClose={close} />;
      case "move":
        return <MoveDialog versionRef={ref} paths={open.paths} onSubmit={(folder) => moveInto(folder, open.paths)} onClose={close} />;
    }
  }
}
