/** Takes files into a folder of a draft: dropped, or chosen with a button. Asks before files that are there are replaced. */
import { useState } from "react";
import type { DragEvent } from "react";
import { useTranslation } from "react-i18next";
import { isNotFound } from "@/api/failure";
import { useConfirm } from "@/ui/confirm";
import { useNotify } from "@/ui/notify";
import { readEntry } from "../api";
import { joinPath } from "../paths";
import { pickFromDrop, pickFromInput } from "../upload/pick";
import type { Picked } from "../upload/pick";
import { uploads } from "../upload/uploads";
import type { VersionRef } from "../version-ref";
import { isFileDrag } from "./drag";

/** More names than this are not checked one by one; a folder of thousands is meant to be merged. */
const CHECKED_NAMES = 40;

/** `listed`: the names in the folder where all of them are known, so that nobody needs to be asked. */
export function useUploadInto(ref: VersionRef, folder: string, listed: ReadonlySet<string> | null) {
  const { t } = useTranslation("files");
  const confirm = useConfirm();
  const notify = useNotify();
  const [isOver, setOver] = useState(false);
  /** Files found so far while a dropped folder is read; null when nothing is being read. */
  const [found, setFound] = useState<number | null>(null);

  const take = async (picked: Picked) => {
    if (picked.files.length === 0 && picked.emptyFolders.length === 0) return;
    const start = () => uploads.add({ ...ref, folder }, picked);
    const existing = await existingNames(ref, folder, picked, listed);
    if (existing.length === 0) return start();
    confirm({
      title: t("upload.replaceTitle", { count: existing.length }),
      text: t("upload.replaceText", { names: existing.slice(0, 5).join(", ") }),
      okText: t("upload.replace"),
      onConfirm: () => Promise.resolve(start()),
    });
  };
  const takeDrop = async (transfer: DataTransfer) => {
    setFound(0);
    try {
      await take(await pickFromDrop(transfer, setFound));
    } finally {
      setFound(null);
    }
  };
  return {
    isOver,
    found,
    takeInput: (files: Iterable<File>) => void take(pickFromInput(files)).catch(notify.failed),
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isFileDrag(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!isFileDrag(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        void takeDrop(event.dataTransfer).catch(notify.failed);
      },
    },
  };
}

/** Single files that would be replaced. Folders are merged. */
async function existingNames(ref: VersionRef, folder: string, picked: Picked, listed: ReadonlySet<string> | null): Promise<string[]> {
  const names = picked.files.filter(({ path }) => !path.includes("/")).map(({ path }) => path);
  if (listed) return names.filter((name) => listed.has(name));
  const checks = names.slice(0, CHECKED_NAMES).map(async (name) => ((await isThere(ref, joinPath(folder, name))) ? [name] : []));
  return (await Promise.all(checks)).flat();
}

async function isThere(ref: VersionRef, path: string): Promise<boolean> {
  try {
    await readEntry(ref, path);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
