/** Files and folders the user dropped or chose, as paths relative to where they were dropped. */
export interface PickedFile {
  path: string;
  file: File;
}

export interface Picked {
  files: PickedFile[];
  /** Folders with nothing in them, which would otherwise vanish. */
  emptyFolders: string[];
  /** Leftovers of operating systems that nobody means to upload. */
  skipped: string[];
}

const LEFTOVERS = new Set([".ds_store", "thumbs.db", "desktop.ini"]);

export function pickFromInput(list: Iterable<File>): Picked {
  const picked: Picked = { files: [], emptyFolders: [], skipped: [] };
  for (const file of list) add(picked, file.webkitRelativePath || file.name, file);
  return picked;
}

/** Must be called while the drop event is handled: browsers forget its items afterwards. */
export async function pickFromDrop(transfer: DataTransfer, onFound: (files: number) => void): Promise<Picked> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  // A file dragged out of another page has no entry, only itself.
  const loose = entries.length > 0 ? [] : [...transfer.files];
  const picked = await readEntries(entries, onFound);
  for (const file of loose) add(picked, file.name, file);
  return picked;
}

export async function readEntries(entries: FileSystemEntry[], onFound: (files: number) => void): Promise<Picked> {
  const picked: Picked = { files: [], emptyFolders: [], skipped: [] };
  const queue = [...entries];
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (isFile(entry)) add(picked, path, await fileOf(entry));
    else if (isFolder(entry)) {
      const children = await childrenOf(entry);
      if (children.length === 0) picked.emptyFolders.push(path);
      queue.push(...children);
    }
    if (picked.files.length % 100 === 0) onFound(picked.files.length);
  }
  picked.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  onFound(picked.files.length);
  return picked;
}

function add(picked: Picked, path: string, file: File): void {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (LEFTOVERS.has(name)) picked.skipped.push(path);
  else picked.files.push({ path, file });
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Browsers hand out a folder's children a hundred at a time, until there are none. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}
