import { describe, expect, it } from "vitest";
import { pickFromInput, readEntries } from "@/features/files/upload/pick";

type Tree = { [name: string]: Tree | string };

/** Entries as browsers hand them out: children in portions, each time asked for again. */
function entryOf(path: string, content: Tree | string): FileSystemEntry {
  if (typeof content === "string") {
    return { isFile: true, isDirectory: false, fullPath: path, file: (done: (file: File) => void) => done(new File([content], path)) } as unknown as FileSystemEntry;
  }
  const children = Object.entries(content).map(([name, child]) => entryOf(`${path}/${name}`, child));
  const createReader = () => {
    const left = [...children];
    return { readEntries: (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 2)) };
  };
  return { isFile: false, isDirectory: true, fullPath: path, createReader } as unknown as FileSystemEntry;
}

describe("what is dropped", () => {
  it("is read to the last folder, with the empty ones", async () => {
    const tree = { src: { "a.py": "1", "b.py": "2", "c.py": "3", deep: { "d.py": "4" } }, nothing: {}, ".DS_Store": "x" };
    const found: number[] = [];
    const picked = await readEntries([entryOf("/code", tree), entryOf("/one.txt", "1")], (files) => found.push(files));
    expect(picked.files.map(({ path }) => path)).toEqual(["code/src/a.py", "code/src/b.py", "code/src/c.py", "code/src/deep/d.py", "one.txt"]);
    expect(picked.emptyFolders).toEqual(["code/nothing"]);
    expect(picked.skipped).toEqual(["code/.DS_Store"]);
    expect(found.at(-1)).toBe(5);
  });

  it("keeps the folders of a chosen folder", () => {
    const file = new File(["x"], "a.txt");
    Object.defineProperty(file, "webkitRelativePath", { value: "folder/a.txt" });
    expect(pickFromInput([file, new File(["y"], "b.txt")]).files.map(({ path }) => path)).toEqual(["folder/a.txt", "b.txt"]);
  });
});
