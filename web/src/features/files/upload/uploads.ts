/** All uploads of this tab. They live outside the pages, so moving around the application does not disturb them. */
import { useSyncExternalStore } from "react";
import { versionPath } from "@/features/assets/addresses";
import type { Attachment } from "../api";
import { versionAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { HashPool } from "./hash-pool";
import { contentWire, httpWire } from "./http-wire";
import type { Picked } from "./pick";
import { UploadRun } from "./run";
import type { RunSnapshot } from "./run";
import { joinPath } from "../paths";

export interface UploadTarget extends VersionRef {
  folder: string;
}

/** Where an upload is shown to go, for the panel. */
export interface UploadPlace {
  title: string;
  link: string;
}

export interface Upload extends RunSnapshot {
  id: number;
  place: UploadPlace;
  /** The draft that the files go into; null for a file that becomes something else, such as an image. */
  target: UploadTarget | null;
  skipped: number;
}

const CALM_MS = 200;

interface Entry {
  id: number;
  place: UploadPlace;
  target: UploadTarget | null;
  skipped: number;
  run: UploadRun;
}

let entries: Entry[] = [];
let shown: Upload[] = [];
let lastId = 0;
let timer: number | undefined;
let pool: HashPool | undefined;
const listeners = new Set<() => void>();
const attachListeners = new Set<(target: UploadTarget) => void>();

export const uploads = {
  add(target: UploadTarget, picked: Picked): void {
    const files = picked.files.map(({ path, file }) => ({ path: joinPath(target.folder, path), file }));
    const folders = picked.emptyFolders.map((path) => joinPath(target.folder, path));
    const run = new UploadRun(files, folders, {
      wire: httpWire(target),
      hash: hashPool().hash,
      onChange: changed,
      onAttached: () => attachListeners.forEach((listener) => listener(target)),
    });
    const title = `${target.asset}@${target.version}${target.folder && `/${target.folder}`}`;
    begin({ place: { title, link: versionPath(target, target.folder) }, target, skipped: picked.skipped.length, run });
  },

  /** Files that, once the server has all of them, become what `become` makes of them. */
  addFiles(project: string, place: UploadPlace, picked: Picked, become: (files: Attachment[], signal: AbortSignal) => Promise<unknown>): void {
    let sent: Attachment[] = [];
    const attach = (entries: Attachment[]) => {
      sent.push(...entries);
      return Promise.resolve();
    };
    // What failed and is tried again afterwards becomes something of its own.
    const finish = async (signal: AbortSignal) => {
      if (sent.length > 0) await become(sent, signal);
      sent = [];
    };
    const run = new UploadRun(picked.files, [], {
      wire: { ...contentWire(project), attach, makeFolder: () => Promise.resolve(), finish },
      hash: hashPool().hash,
      onChange: changed,
      onAttached: () => undefined,
    });
    begin({ place, target: null, skipped: picked.skipped.length, run });
  },

  /** One such file. */
  addFile(project: string, place: UploadPlace, file: File, become: (sha256: string, signal: AbortSignal) => Promise<unknown>): void {
    const picked = { files: [{ path: file.name, file }], emptyFolders: [], skipped: [] };
    uploads.addFiles(project, place, picked, async (files, signal) => {
      for (const { sha256 } of files) await become(sha256, signal);
    });
  },

  pause: (id: number): void => find(id)?.run.pause(),
  resume: (id: number): void => void find(id)?.run.start(),
  retryFailed: (id: number): void => find(id)?.run.retryFailed(),

  async cancel(id: number): Promise<void> {
    await find(id)?.run.cancel();
    uploads.dismiss(id);
  },

  dismiss(id: number): void {
    entries = entries.filter((entry) => entry.id !== id);
    changed();
  },

  onAttached(listener: (target: UploadTarget) => void): () => void {
    attachListeners.add(listener);
    return () => attachListeners.delete(listener);
  },
};

export function useUploads(): Upload[] {
  return useSyncExternalStore(subscribe, () => shown);
}

/** Whether files are on their way into this version. */
export function useIsUploadingTo(ref: VersionRef): boolean {
  const address = versionAddress(ref);
  return useSyncExternalStore(subscribe, () => shown.some((upload) => upload.state === "running" && upload.target !== null && versionAddress(upload.target) === address));
}

function hashPool(): HashPool {
  pool ??= new HashPool(() => new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module" }));
  return pool;
}

function begin(entry: Omit<Entry, "id">): void {
  entries = [...entries, { id: ++lastId, ...entry }];
  void entry.run.start();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function find(id: number): Entry | undefined {
  return entries.find((entry) => entry.id === id);
}

/** Progress comes many times a second; people read it a few times a second. */
function changed(): void {
  timer ??= window.setTimeout(publish, CALM_MS);
}

function publish(): void {
  timer = undefined;
  shown = entries.map(({ id, place, target, skipped, run }) => ({ id, place, target, skipped, ...run.snapshot() }));
  guardLeaving(shown.some((upload) => upload.state === "running" || upload.state === "paused"));
  listeners.forEach((listener) => listener());
}

let isGuarded = false;

/** While something is on its way the browser asks before the tab is closed. */
function guardLeaving(isNeeded: boolean): void {
  if (isNeeded === isGuarded) return;
  isGuarded = isNeeded;
  if (isNeeded) window.addEventListener("beforeunload", askToStay);
  else window.removeEventListener("beforeunload", askToStay);
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
