/** Undo and redo over the whole session: a step knows which items it changed, and going back goes to them. */
import { isEmpty, reversed } from "../model/patch";
import type { Patch } from "../model/patch";
import type { ItemState } from "../model/types";
import type { ActionName } from "../engine/tools/tool";

export interface Step {
  action: ActionName | "state";
  changes: { seq: number; patch: Patch; state: { before: ItemState; after: ItemState } | null }[];
}

const MOST = 500;

export class History {
  private done: Step[] = [];
  private undone: Step[] = [];

  add(step: Step): void {
    if (step.changes.every((change) => isEmpty(change.patch) && change.state === null)) return;
    this.done.push(step);
    if (this.done.length > MOST) this.done.shift();
    this.undone = [];
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** What to apply to go one step back. */
  undo(): Step | null {
    const step = this.done.pop();
    if (!step) return null;
    this.undone.push(step);
    return backwards(step);
  }

  redo(): Step | null {
    const step = this.undone.pop();
    if (!step) return null;
    this.done.push(step);
    return step;
  }
}

function backwards(step: Step): Step {
  return {
    action: step.action,
    changes: step.changes.map(({ seq, patch, state }) => ({ seq, patch: reversed(patch), state: state && { before: state.after, after: state.before } })),
  };
}
