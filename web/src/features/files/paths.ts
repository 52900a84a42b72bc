/** Paths inside a version: relative, parts joined by `/`, the empty string is the root. */
export const PATH_MAX_BYTES = 1024;
export const PART_MAX_BYTES = 255;

export type PathProblem = "empty" | "dots" | "long" | "partLong" | "character" | "control";

const encoder = new TextEncoder();
// eslint-disable-next-line no-control-regex -- control characters are exactly what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The rule a path breaks, or null. The same rules hold on the server; here they are told before anything is sent. */
export function pathProblem(path: string): PathProblem | null {
  const normal = path.normalize("NFC");
  if (encoder.encode(normal).length > PATH_MAX_BYTES) return "long";
  for (const part of normal.split("/")) {
    const problem = partProblem(part);
    if (problem) return problem;
  }
  return null;
}

function partProblem(part: string): PathProblem | null {
  if (part === "") return "empty";
  if (part === "." || part === "..") return "dots";
  if (encoder.encode(part).length > PART_MAX_BYTES) return "partLong";
  if (CONTROL.test(part)) return "control";
  if (part.includes("\\")) return "character";
  return null;
}

export function joinPath(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("/");
}

export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "" : path.slice(0, at);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Lower case, without the dot; empty for `Makefile` and `.gitignore`. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at + 1).toLowerCase();
}

/** True when `path` is `folder` itself or lies under it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

export interface Crumb {
  name: string;
  path: string;
}

export function crumbsOf(path: string): Crumb[] {
  if (path === "") return [];
  const parts = path.split("/");
  return parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") }));
}

/** The path a link in a document points at, seen from the document; null when it leads out of the version. */
export function resolveLink(documentPath: string, link: string): string | null {
  const bare = decodeLink(link.split(/[?#]/, 1)[0] ?? "");
  const steps = bare.startsWith("/") ? bare.slice(1) : joinPath(parentOf(documentPath), bare);
  const parts: string[] = [];
  for (const step of steps.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") parts.push(step);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

function decodeLink(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch (error) {
    if (error instanceof URIError) return link; // a lone % is a plain character in a file's name
    throw error;
  }
}

/** Where each of `paths` goes when moved into `folder`; what is already there, or would go into itself, is left out. */
export function movesInto(folder: string, paths: string[]): { from: string; to: string }[] {
  return paths
    .filter((path) => parentOf(path) !== folder && !isWithin(path, folder))
    .map((path) => ({ from: path, to: joinPath(folder, baseName(path)) }));
}
