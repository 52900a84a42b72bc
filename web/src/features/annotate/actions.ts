/** Everything that can be done by keyboard: what it is called, its keys unless changed, and what it does. */
import { readSaved, save } from "@/lib/saved";
import { nextSuggestion, suggestionsIn } from "./model/suggestions";
import type { Verdict } from "./model/suggestions";
import type { ItemState } from "./model/types";
import type { ToolName } from "./model/kinds";
import type { Session } from "./session/session";

/** What the workbench's parts can be asked to do beyond the session. */
export interface Hands {
  zoom(factor: number): void;
  fit(): void;
  actualSize(): void;
  zoomToSelection(): void;
  finish(): void;
  /** True when there was something to give up. */
  cancel(): boolean;
  back(): boolean;
  /** Something is half drawn that Enter would finish. */
  isDrawing(): boolean;
  toggle(option: "snap" | "tags" | "magnifier"): void;
  fitBox(): void;
  open(what: "help" | "guidelines" | "jump" | "labels" | "search"): void;
  /** Sound: play or stop. */
  play(): void;
  seek(seconds: number): void;
  notify(what: "copied" | "nothingBefore" | "lastItem" | "firstItem", count?: number): void;
}

export type ActionGroup = "items" | "suggestions" | "tools" | "edit" | "view" | "state" | "sound" | "help";

export interface Action {
  id: ActionId;
  group: ActionGroup;
  keys: string[];
  run: (session: Session, hands: Hands) => void | Promise<void>;
  /** Only where it means something. */
  isFor?: (session: Session) => boolean;
  /** When the key is free for it; otherwise the next action with this key has it. */
  isNow?: (session: Session, hands: Hands) => boolean;
}

export type ActionId =
  | "next" | "previous" | "next10" | "previous10" | "nextUnlabelled" | "nextSuggested" | "jump" | "search" | "grid"
  | "accept" | "reject"
  | "done" | "aside" | "rework" | "unlabelled"
  | `tool.${ToolName}`
  | "undo" | "redo" | "delete" | "copy" | "paste" | "copyPrevious" | "selectAll" | "nextShape" | "previousShape" | "finish" | "cancel" | "hide" | "lock"
  | "forward" | "backward" | "front" | "back" | "nudgeLeft" | "nudgeRight" | "nudgeUp" | "nudgeDown" | "fitBox" | "brushSmaller" | "brushLarger"
  | "zoomIn" | "zoomOut" | "fit" | "actualSize" | "zoomToSelection" | "snap" | "tags" | "magnifier"
  | "play" | "rewind" | "wind"
  | "labels" | "guidelines" | "help";

const hasShapes = (session: Session) => session.kind.tools.length > 0;
const hasSound = (session: Session) => session.kind.view === "audio";
const isPicture = (session: Session) => session.kind.view === "picture";

export const ACTIONS: Action[] = [
  { id: "next", group: "items", keys: ["arrowright", "d"], run: (s, h) => step(s, h, 1) },
  { id: "previous", group: "items", keys: ["arrowleft", "a"], run: (s, h) => step(s, h, -1) },
  { id: "next10", group: "items", keys: ["shift+arrowright", "shift+d"], run: (s, h) => step(s, h, 10) },
  { id: "previous10", group: "items", keys: ["shift+arrowleft", "shift+a"], run: (s, h) => step(s, h, -10) },
  { id: "nextUnlabelled", group: "items", keys: ["u"], run: (s, h) => nextOfState(s, h, "unlabelled") },
  { id: "jump", group: "items", keys: ["ctrl+g"], run: (_s, h) => h.open("jump") },
  { id: "search", group: "items", keys: ["ctrl+f"], run: (_s, h) => h.open("search") },
  { id: "grid", group: "items", keys: ["g"], run: (s) => s.setView(s.get().view === "grid" ? "one" : "grid"), isFor: (s) => s.kind.hasGrid },

  { id: "accept", group: "suggestions", keys: ["enter", "y"], run: (s, h) => decide(s, h, "accept"), isNow: hasSuggestions },
  { id: "reject", group: "suggestions", keys: ["n"], run: (s, h) => decide(s, h, "reject"), isNow: hasSuggestions },
  { id: "nextSuggested", group: "suggestions", keys: ["j"], run: (s, h) => nextOfState(s, h, "suggested") },

  { id: "done", group: "state", keys: ["f"], run: (s, h) => mark(s, h, "labelled") },
  { id: "aside", group: "state", keys: ["x"], run: (s, h) => mark(s, h, "aside") },
  { id: "rework", group: "state", keys: ["w"], run: (s, h) => mark(s, h, "rework") },
  { id: "unlabelled", group: "state", keys: ["shift+u"], run: (s) => s.setState("unlabelled", chosenItems(s)) },

  tool("select", "v"),
  tool("box", "b"),
  tool("turned", "r"),
  tool("polygon", "p"),
  tool("polyline", "l"),
  tool("point", "i"),
  tool("circle", "c"),
  tool("brush", "m"),
  tool("eraser", "e"),
  tool("keypoints", "k"),
  tool("smart", "s"),

  { id: "undo", group: "edit", keys: ["ctrl+z"], run: (s, h) => (h.back() ? undefined : s.undo()) },
  { id: "redo", group: "edit", keys: ["ctrl+shift+z", "ctrl+y"], run: (s) => s.redo() },
  { id: "delete", group: "edit", keys: ["delete", "backspace"], run: (s, h) => (h.back() ? undefined : s.deleteSelected()) },
  { id: "copy", group: "edit", keys: ["ctrl+c"], run: (s, h) => h.notify("copied", s.copy()) },
  { id: "paste", group: "edit", keys: ["ctrl+v"], run: (s) => s.paste() },
  { id: "copyPrevious", group: "edit", keys: ["shift+c"], run: async (s, h) => ((await s.copyPrevious()) === 0 ? h.notify("nothingBefore") : undefined) },
  { id: "selectAll", group: "edit", keys: ["ctrl+a"], run: selectAll },
  { id: "nextShape", group: "edit", keys: ["."], run: (s) => turn(s, 1), isFor: hasShapes },
  { id: "previousShape", group: "edit", keys: [","], run: (s) => turn(s, -1), isFor: hasShapes },
  { id: "finish", group: "edit", keys: ["enter"], run: (_s, h) => h.finish(), isFor: hasShapes },
  { id: "cancel", group: "edit", keys: ["escape"], run: (s, h) => (h.cancel() ? undefined : s.select([])) },
  { id: "hide", group: "edit", keys: ["h"], run: (s) => s.toggleHidden(s.get().selection), isFor: hasShapes },
  { id: "lock", group: "edit", keys: ["shift+l"], run: (s) => s.toggleLocked(s.get().selection), isFor: hasShapes },
  { id: "forward", group: "edit", keys: ["pageup"], run: (s) => s.reorder("forward"), isFor: hasShapes },
  { id: "backward", group: "edit", keys: ["pagedown"], run: (s) => s.reorder("backward"), isFor: hasShapes },
  { id: "front", group: "edit", keys: ["home"], run: (s) => s.reorder("front"), isFor: hasShapes },
  { id: "back", group: "edit", keys: ["end"], run: (s) => s.reorder("back"), isFor: hasShapes },
  { id: "nudgeLeft", group: "edit", keys: ["ctrl+arrowleft"], run: (s) => s.nudge(-1, 0), isFor: hasShapes },
  { id: "nudgeRight", group: "edit", keys: ["ctrl+arrowright"], run: (s) => s.nudge(1, 0), isFor: hasShapes },
  { id: "nudgeUp", group: "edit", keys: ["ctrl+arrowup"], run: (s) => s.nudge(0, -1), isFor: hasShapes },
  { id: "nudgeDown", group: "edit", keys: ["ctrl+arrowdown"], run: (s) => s.nudge(0, 1), isFor: hasShapes },
  { id: "fitBox", group: "edit", keys: ["shift+f"], run: (_s, h) => h.fitBox(), isFor: (s) => s.kind.tools.includes("box") },
  { id: "brushSmaller", group: "edit", keys: ["["], run: (s) => s.setBrush(s.get().brushSize / 1.25 - 0.5), isFor: (s) => s.kind.tools.includes("brush") },
  { id: "brushLarger", group: "edit", keys: ["]"], run: (s) => s.setBrush(s.get().brushSize * 1.25 + 0.5), isFor: (s) => s.kind.tools.includes("brush") },

  { id: "zoomIn", group: "view", keys: ["=", "+"], run: (_s, h) => h.zoom(1.25), isFor: isPicture },
  { id: "zoomOut", group: "view", keys: ["-"], run: (_s, h) => h.zoom(0.8), isFor: isPicture },
  { id: "fit", group: "view", keys: ["q"], run: (_s, h) => h.fit(), isFor: isPicture },
  { id: "actualSize", group: "view", keys: ["shift+q"], run: (_s, h) => h.actualSize(), isFor: isPicture },
  { id: "zoomToSelection", group: "view", keys: ["z"], run: (_s, h) => h.zoomToSelection(), isFor: hasShapes },
  { id: "snap", group: "view", keys: ["shift+s"], run: (_s, h) => h.toggle("snap"), isFor: hasShapes },
  { id: "tags", group: "view", keys: ["t"], run: (_s, h) => h.toggle("tags"), isFor: hasShapes },
  { id: "magnifier", group: "view", keys: ["shift+m"], run: (_s, h) => h.toggle("magnifier"), isFor: isPicture },

  { id: "play", group: "sound", keys: [" "], run: (_s, h) => h.play(), isFor: hasSound },
  { id: "rewind", group: "sound", keys: ["shift+,"], run: (_s, h) => h.seek(-2), isFor: hasSound },
  { id: "wind", group: "sound", keys: ["shift+."], run: (_s, h) => h.seek(2), isFor: hasSound },

  { id: "labels", group: "help", keys: ["/"], run: (_s, h) => h.open("labels") },
  { id: "guidelines", group: "help", keys: ["shift+g"], run: (_s, h) => h.open("guidelines") },
  { id: "help", group: "help", keys: ["?"], run: (_s, h) => h.open("help") },
];

function tool(name: ToolName, key: string): Action {
  return { id: `tool.${name}`, group: "tools", keys: [key], run: (session) => session.setTool(name), isFor: (session) => session.kind.tools.includes(name) };
}

async function step(session: Session, hands: Hands, by: number): Promise<void> {
  if (!(await session.go(by))) hands.notify(by > 0 ? "lastItem" : "firstItem");
}

async function nextOfState(session: Session, hands: Hands, state: ItemState): Promise<void> {
  const from = session.get().doc?.item.seq ?? 0;
  const page = await session.api.items({ state }, from, { limit: 5 });
  const item = page.items.find((one) => !session.outbox.find(one.seq));
  if (item) await session.open(item.seq);
  else hands.notify("lastItem");
}

function hasSuggestions(session: Session, hands: Hands): boolean {
  const { view, doc, ticked } = session.get();
  if (view === "grid") return [...ticked].some((seq) => suggestionsIn(session.docs.find(seq)?.annotations ?? []).length > 0);
  return !session.isReadOnly && !hands.isDrawing() && (doc?.state === "suggested" || suggestionsIn(doc?.annotations ?? []).length > 0);
}

/** In the grid what is ticked; else those that are chosen, and when none is the whole item. Nothing left to decide: on to the next. */
async function decide(session: Session, hands: Hands, verdict: Verdict): Promise<void> {
  const { view, ticked, doc, selection } = session.get();
  if (view === "grid") return void session.decideItems(verdict, [...ticked]);
  if (!doc) return;
  const chosen = new Set(suggestionsIn(doc.annotations).map((one) => one.id).filter((id) => selection.has(id)));
  session.decide(verdict, chosen.size > 0 ? chosen : undefined);
  const next = nextSuggestion(doc.annotations, session.get().doc?.annotations ?? [], chosen);
  if (next) session.select([next.id]);
  else await step(session, hands, 1);
}

function chosenItems(session: Session): number[] | undefined {
  const { view, ticked } = session.get();
  return view === "grid" && ticked.size > 0 ? [...ticked] : undefined;
}

/** In the grid what is ticked; else the open item, and on to the next. */
async function mark(session: Session, hands: Hands, state: ItemState): Promise<void> {
  const items = chosenItems(session);
  session.setState(state, items);
  if (!items && session.get().view === "one") await step(session, hands, 1);
}

function selectAll(session: Session): void {
  const { view, doc, hidden } = session.get();
  if (view === "grid") session.tick(session.list.get().items.map((item) => item.seq));
  else session.select((doc?.annotations ?? []).filter((one) => one.type !== "class" && !hidden.has(one.id)).map((one) => one.id));
}

function turn(session: Session, by: number): void {
  const { doc, selection, hidden } = session.get();
  const ids = (doc?.annotations ?? []).filter((one) => one.type !== "class" && !hidden.has(one.id)).map((one) => one.id);
  if (ids.length === 0) return;
  const at = ids.findIndex((id) => selection.has(id));
  const next = ids[(at < 0 ? (by > 0 ? 0 : -1) : at + by + ids.length) % ids.length] ?? ids[ids.length - 1];
  if (next !== undefined) session.select([next]);
}

// --- keys

const SAVED = "annotate.keys";

export type KeyChoices = Partial<Record<ActionId, string[]>>;

export function readKeys(): KeyChoices {
  try {
    return JSON.parse(readSaved(SAVED) ?? "{}") as KeyChoices;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export function saveKeys(keys: KeyChoices): void {
  save(SAVED, Object.keys(keys).length > 0 ? JSON.stringify(keys) : null);
}

export function keysOf(action: Action, chosen: KeyChoices): string[] {
  return chosen[action.id] ?? action.keys;
}

/** `ctrl+shift+z`; null for a modifier alone. */
export function keyName(event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): string | null {
  if (["Control", "Shift", "Alt", "Meta", "Process", "Unidentified"].includes(event.key)) return null;
  const isCharacter = event.key.length === 1;
  // A sign made with Shift is its own name; letters keep Shift, and with another layout or input method the key's place counts.
  const plain = isCharacter && /^(Key|Digit)/.test(event.code) ? event.code.slice(-1).toLowerCase() : event.code === "Comma" ? "," : event.code === "Period" ? "." : event.key.toLowerCase();
  const isSign = isCharacter && !/^(Key|Digit|Comma|Period)/.test(event.code);
  const parts = [event.ctrlKey || event.metaKey ? "ctrl" : "", event.altKey ? "alt" : "", event.shiftKey && !isSign ? "shift" : "", plain];
  return parts.filter((part) => part !== "").join("+");
}

export function findAction(key: string, session: Session, hands: Hands, chosen: KeyChoices): Action | null {
  return ACTIONS.find((action) => keysOf(action, chosen).includes(key) && (action.isFor?.(session) ?? true) && (action.isNow?.(session, hands) ?? true)) ?? null;
}

/** Labels in the order they are listed get 1 to 9 and 0, unless they have a key of their own. */
export function labelByKey(key: string, labels: readonly { number: number; shortcut?: string | null }[], leaves: readonly number[]): number | null {
  const own = labels.find((label) => label.shortcut && label.shortcut.toLowerCase() === key);
  if (own) return own.number;
  return /^\d$/.test(key) ? (leaves[(Number(key) + 9) % 10] ?? null) : null;
}
