/** A drawing that is not finished yet, kept over a reload of the page. */
import { readSaved, save } from "@/lib/saved";
import type { ToolName } from "../model/kinds";

interface Draft {
  version: string;
  seq: number;
  tool: ToolName;
  draft: unknown;
}

const SAVED = "annotate.draft";

export function keepDraft(draft: Draft | null): void {
  save(SAVED, draft && JSON.stringify(draft));
}

export function findDraft(version: string, seq: number): Draft | null {
  try {
    const draft = JSON.parse(readSaved(SAVED) ?? "null") as Draft | null;
    return draft?.version === version && draft.seq === seq ? draft : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
