/** The same things as commands for a terminal. */
import type { AssetKind } from "./kinds";

export function pushCommand(project: string, kind: AssetKind, name = "NAME"): string {
  return `tidemill ${kind} push ./folder ${quoted(name)} --project ${quoted(project)}`;
}

export function pullCommand(project: string, kind: AssetKind, name: string, version: number): string {
  const target = project === "public" ? `public/${name}@${version}` : `${name}@${version}`;
  return `tidemill ${kind} pull ${quoted(target)} ./folder${project === "public" ? "" : ` --project ${quoted(project)}`}`;
}

/** Safe to paste into a shell. Names hold no single quotes, by the platform's own rule. */
function quoted(text: string): string {
  return /^[\w@./-]+$/.test(text) ? text : `'${text}'`;
}
