/** A tool: what pointer and keys do on the picture. Tools hold only what is being drawn; finished shapes go to the desk. */
import type { Canvas2D, Palette } from "../draw";
import type { Picture } from "../picture";
import type { Scene } from "../scene";
import type { View } from "../view";
import type { Annotation, Label, Point } from "../../model/types";

export interface Pointer {
  /** In pixels of the picture, as it is. */
  raw: Point;
  /** Drawn to something near, when snapping is on, and kept inside the picture. */
  point: Point;
  screen: Point;
  isShift: boolean;
  isAlt: boolean;
  isCtrl: boolean;
  /** Of the click: 1 single, 2 double. */
  clicks: number;
}

/** What a tool needs of the workbench around the canvas. */
export interface Desk {
  annotations(): readonly Annotation[];
  /** The label new shapes get; null: the user has to choose one first. */
  activeLabel(): Label | null;
  /** Told when a shape was to be drawn without a label. */
  wantLabel(): void;
  /** One undoable step. `action` names it in the list of what was done. */
  change(action: ActionName, next: (list: readonly Annotation[]) => readonly Annotation[]): void;
  select(ids: Iterable<string>): void;
  selection(): ReadonlySet<string>;
  isLocked(id: string): boolean;
  /** Fields every new shape gets: reading order, track, defaults of attributes. */
  fresh(label: Label): Partial<Annotation>;
  /** Called after a shape was drawn, to ask for its text where that is needed. */
  drawn(id: string): void;
  isReadOnly(): boolean;
  brushSize(): number;
}

export type ActionName = "draw" | "move" | "reshape" | "delete" | "paint" | "erase" | "paste" | "label" | "order" | "attributes" | "text" | "class" | "segment" | "smart" | "merge" | "track" | "copy" | "accept" | "reject";

export interface Bench {
  readonly view: View;
  readonly scene: Scene;
  readonly desk: Desk;
  readonly picture: Picture | null;
  readonly size: { width: number; height: number };
  /** Pixels of the picture within which something counts as touched. */
  readonly tolerance: number;
  readonly unit: number;
  palette(): Palette;
  redraw(): void;
  setCursor(cursor: string): void;
  /** Told to screen readers, too. */
  setBusy(isBusy: boolean): void;
}

export abstract class Tool {
  abstract readonly cursor: string;

  constructor(protected readonly bench: Bench) {}

  down?(at: Pointer): void;
  move?(at: Pointer, isPressed: boolean): void;
  up?(at: Pointer): void;
  /** Enter or a double click: finish what is being drawn. */
  finish(): void {}
  /** Escape or another tool: forget what is being drawn. True when there was something. */
  cancel(): boolean {
    return false;
  }
  /** Backspace while drawing. True when it was used up here. */
  back(): boolean {
    return false;
  }
  /** Other keys, by their name. True when used up. */
  key?(key: string): boolean;
  /** Over everything else; the context is in pixels of the picture. */
  draw?(g: Canvas2D): void;
  /** Shapes it asks snapping to leave alone. */
  busyWith(): ReadonlySet<string> {
    return none;
  }
  /** A drawing under way, to be kept over a reload; null when there is none. */
  draft(): unknown {
    return null;
  }
  restore?(draft: unknown): void;
  /** Something is half done that Enter would finish. */
  isDrawing(): boolean {
    return this.draft() !== null;
  }
}

const none: ReadonlySet<string> = new Set();
