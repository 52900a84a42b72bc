/**
 * A person at work on a version: which item is open, what is chosen, which tool and label are in hand, and every change on
 * its way through undo history, documents and journal. React and the canvas only look at it and call it.
 */
import type { ActionName } from "../engine/tools/tool";
import { moved } from "../model/geometry";
import { newId } from "../model/ids";
import { firstTool, KINDS } from "../model/kinds";
import type { Kind, ToolName } from "../model/kinds";
import { omit } from "../model/omit";
import { applied, diff } from "../model/patch";
import { decided, isSuggestion, stateAfter, taken } from "../model/suggestions";
import type { Verdict } from "../model/suggestions";
import { frameOf, interpolated, videoOf } from "../model/tracks";
import type { Annotation, Item, ItemState, Label } from "../model/types";
import type { Outbox } from "../journal/outbox";
import type { Api, ItemFilter, ItemOrder, VersionInfo } from "./api";
import { Docs } from "./docs";
import type { Doc } from "./docs";
import { History } from "./history";
import type { Step } from "./history";
import { ItemList } from "./item-list";
import { Pictures } from "./pictures";

export interface SessionState {
  doc: Doc | null;
  /** Asked for and not there yet. */
  opening: number | null;
  error: unknown;
  selection: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  locked: ReadonlySet<string>;
  tool: ToolName;
  activeLabel: number | null;
  labels: Label[];
  canUndo: boolean;
  canRedo: boolean;
  /** A shape that was just drawn and wants its text. */
  wantsText: string | null;
  /** Counts up when a label is needed before drawing. */
  labelWanted: number;
  brushSize: number;
  view: "one" | "grid";
  /** Items ticked in the grid. */
  ticked: ReadonlySet<number>;
}

const NONE: ReadonlySet<string> = new Set();
const TRACK_REACH = 200;
const PREFETCHED = 3;
const SETTLE_MS = 5000;
const LOOK_MS = 50;

export class Session {
  readonly kind: Kind;
  readonly docs: Docs;
  readonly list: ItemList;
  readonly pictures: Pictures;
  private readonly history = new History();
  private readonly listeners = new Set<() => void>();
  private clipboard: Annotation[] = [];
  private state: SessionState;
  private isClosed = false;
  private readonly unsubscribe: () => void;

  constructor(
    readonly api: Api,
    readonly outbox: Outbox,
    readonly version: VersionInfo,
    labels: Label[],
    readonly canWrite: boolean,
  ) {
    this.kind = KINDS[version.annotation_type] ?? KINDS.none;
    this.docs = new Docs(api, () => this.outbox);
    this.list = new ItemList(api, (item) => void this.docs.take(item));
    this.pictures = new Pictures((seq) => api.content(seq));
    this.state = {
      doc: null, opening: null, error: null, selection: NONE, hidden: NONE, locked: NONE, tool: firstTool(this.kind), activeLabel: labels.find((one) => !hasChildren(one, labels))?.number ?? null, labels, canUndo: false,
      canRedo: false, wantsText: null, labelWanted: 0, brushSize: 24, view: "one", ticked: new Set(),
    };
    const ends = [this.docs.subscribe((seq) => this.docChanged(seq)), outbox.subscribe(() => this.set({}))];
    this.unsubscribe = () => ends.forEach((end) => end());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get = (): SessionState => this.state;

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
    this.pictures.close();
  }

  get isReadOnly(): boolean {
    const seq = this.state.doc?.item.seq;
    return !this.version.can_annotate || (seq !== undefined && (this.outbox.find(seq)?.clash ?? null) !== null);
  }

  // --- moving among items

  async open(seq: number): Promise<void> {
    if (this.state.doc?.item.seq === seq && this.state.opening === null) return;
    const known = this.docs.find(seq);
    if (known) {
      this.show(known);
      void this.docs.refresh(seq).catch(() => undefined); // shown as it was known; the next save finds out
      return;
    }
    this.set({ opening: seq, error: null });
    // Beside the annotations, not after them; if it fails, the canvas asks again and says why.
    if (this.kind.view === "picture") void this.pictures.load(seq).catch(() => undefined);
    try {
      const doc = await this.docs.load(seq);
      if (this.state.opening === seq) this.show(doc);
    } catch (error) {
      if (this.state.opening === seq) this.set({ error, opening: null });
    }
  }

  async go(step: number): Promise<boolean> {
    const seq = this.state.doc?.item.seq;
    if (seq === undefined) return false;
    const item = await this.list.beside(seq, step);
    if (!item) return false;
    await this.open(item.seq);
    return true;
  }

  async filter(filter: ItemFilter, order: ItemOrder = this.list.get().order): Promise<void> {
    await this.list.open({ filter, order, only: null }, null);
    const first = this.list.get().items[0];
    const current = this.state.doc?.item.seq;
    // In an order of its own one begins at its beginning.
    if (first && (order !== "seq" || !this.list.get().items.some((item) => item.seq === current))) await this.open(first.seq);
  }

  /** Waits until what was changed here is stored, but not for a server that is away: then it is merged when it is. */
  async settled(): Promise<void> {
    this.outbox.flush();
    const until = Date.now() + SETTLE_MS;
    while (this.outbox.getStatus().waiting > 0 && Date.now() < until) await new Promise((resolve) => window.setTimeout(resolve, LOOK_MS));
  }

  /** Much was changed on the server at once: what is shown is read again. */
  async reload(): Promise<void> {
    const { filter, order, only } = this.list.get();
    const seq = this.state.doc?.item.seq;
    await this.list.open({ filter, order, only }, order === "seq" ? (seq ?? null) : null);
    if (seq !== undefined) await this.docs.refresh(seq);
  }

  // --- changing

  change(action: ActionName, next: (list: readonly Annotation[]) => readonly Annotation[]): void {
    const { doc } = this.state;
    if (!doc || this.isReadOnly) return;
    const wanted = next(doc.annotations);
    if (wanted === doc.annotations) return;
    const after = action === "order" ? wanted : taken(doc.annotations, wanted);
    const patch = diff(doc.annotations, after);
    if (patch.changes.length === 0 && !patch.order) return;
    const state = stateAfter(doc.state, after);
    this.history.add({ action, changes: [{ seq: doc.item.seq, patch, state: state && { before: doc.state, after: state } }] });
    this.docs.change(doc.item.seq, after, state);
    if (this.kind.hasTracks) void this.fillTracks(doc.item, patch.changes.flatMap(({ before, after: now }) => [before?.track, now?.track]));
  }

  /** Several items at once, as one step. */
  changeMany(action: Step["action"], next: Map<number, readonly Annotation[]>, state: ItemState | null = null): void {
    if (!this.version.can_annotate) return;
    const changes = [...next].flatMap(([seq, after]) => {
      const doc = this.docs.find(seq);
      if (!doc || this.outbox.find(seq)?.clash) return [];
      const patch = diff(doc.annotations, after);
      const isChanged = patch.changes.length > 0 || patch.order !== null;
      const next = state ?? (isChanged ? stateAfter(doc.state, after) : null);
      return [{ seq, after, patch, isChanged, state: next && (isChanged || next !== doc.state) ? { before: doc.state, after: next } : null }];
    });
    this.history.add({ action, changes: changes.map(({ seq, patch, state: turn }) => ({ seq, patch, state: turn })) });
    for (const { seq, after, isChanged, state: turn } of changes) if (isChanged || turn) this.docs.change(seq, after, turn?.after ?? null);
  }

  /** The user has decided what becomes of annotations that somebody else changed too. */
  settle(seq: number, annotations: readonly Annotation[]): void {
    const record = this.outbox.find(seq);
    if (record) this.docs.merged(seq, { base: record.base, baseBody: record.baseBody, annotations });
    this.outbox.settle(seq, annotations);
  }

  /** Changes the server will not take are given up; the item is shown as the server has it. */
  async giveUp(seq: number): Promise<void> {
    await this.outbox.discard(seq);
    this.docs.take(await this.api.item(seq));
  }

  /** What is called labelled has nothing left to decide: suggestions on it are accepted. */
  setState(state: ItemState, seqs?: number[]): void {
    const chosen = seqs ?? (this.state.doc ? [this.state.doc.item.seq] : []);
    this.changeMany("state", this.listsOf(chosen, (list) => (state === "labelled" && list.some(isSuggestion) ? decided(list, "accept") : list)), state);
  }

  /** Suggestions of the open item: these, or all of them. What came as one without saying so (from an import) is meant whole. */
  decide(verdict: Verdict, ids?: ReadonlySet<string>): void {
    const { doc } = this.state;
    if (!doc || this.isReadOnly) return;
    if (doc.annotations.some(isSuggestion)) this.change(verdict, (list) => decided(list, verdict, ids));
    else if (doc.state === "suggested" && verdict === "accept") this.setState("labelled");
    else if (doc.state === "suggested") this.changeMany(verdict, new Map([[doc.item.seq, []]]), "unlabelled");
  }

  /** All suggestions of several items, as one step. */
  decideItems(verdict: Verdict, seqs: number[]): number {
    const lists = this.listsOf(
      seqs,
      (list) => decided(list, verdict),
      (list) => list.some(isSuggestion),
    );
    this.changeMany(verdict, lists);
    return lists.size;
  }

  async undo(): Promise<void> {
    await this.replay(this.history.undo());
  }

  async redo(): Promise<void> {
    await this.replay(this.history.redo());
  }

  // --- what is in hand

  select(ids: Iterable<string>): void {
    const selection = new Set(ids);
    this.set({ selection, wantsText: null });
  }

  setTool(tool: ToolName): void {
    if (this.kind.tools.includes(tool)) this.set({ tool });
  }

  setView(view: SessionState["view"]): void {
    this.set({ view });
  }

  tick(ticked: Iterable<number>): void {
    this.set({ ticked: new Set(ticked) });
  }

  setBrush(size: number): void {
    this.set({ brushSize: Math.min(400, Math.max(1, Math.round(size))) });
  }

  setLabels(labels: Label[]): void {
    this.set({ labels });
  }

  wantLabel(): void {
    this.set({ labelWanted: this.state.labelWanted + 1 });
  }

  /** The label for what is drawn next; what is chosen gets it too. Whole-item labels are put on or taken off. */
  useLabel(number: number): void {
    this.set({ activeLabel: number });
    if (this.kind.classes !== "none") {
      if (this.state.view === "grid" && this.state.ticked.size > 0) this.labelItems([...this.state.ticked], number);
      else this.toggleClass(number);
      return;
    }
    const { selection } = this.state;
    if (selection.size > 0) this.change("label", (list) => list.map((one) => (selection.has(one.id) && !this.state.locked.has(one.id) && one.label !== number ? this.relabelled(one, number) : one)));
  }

  private relabelled(annotation: Annotation, number: number): Annotation {
    const attributes = this.attributesFor(this.state.labels.find((one) => one.number === number) ?? null);
    return { ...omit(annotation, "attributes"), label: number, ...(attributes ? { attributes } : {}) } as Annotation;
  }

  drawn(id: string): void {
    if (this.kind.hasText) this.wantText(id);
  }

  wantText(id: string): void {
    this.set({ wantsText: id });
  }

  /** What every new annotation of the label starts with. */
  fresh(label: Label): Partial<Annotation> {
    const attributes = this.attributesFor(label);
    const fields: Partial<Annotation> = attributes ? { attributes } : {};
    if (this.kind.hasTracks) fields.track = `t${newId(6)}`;
    if (this.kind.hasText) fields.order = 1 + Math.max(0, ...(this.state.doc?.annotations ?? []).map((one) => one.order ?? 0));
    return fields;
  }

  private attributesFor(label: Label | null): Annotation["attributes"] | null {
    const given = (label?.attributes ?? []).flatMap((one) => (one.default === null || one.default === undefined ? [] : [[one.name, one.default] as const]));
    return given.length > 0 ? Object.fromEntries(given) : null;
  }

  // --- whole-item labels

  toggleClass(number: number): void {
    this.change("class", (list) => withClass(list, number, this.kind.classes === "one", !hasClass(list, number)));
  }

  /** In the grid: all of them get the label, or lose it when all have it. */
  labelItems(seqs: number[], number: number): void {
    const isOn = !seqs.every((seq) => hasClass(this.docs.find(seq)?.annotations ?? [], number));
    this.changeMany("class", this.listsOf(seqs, (list) => withClass(list, number, this.kind.classes === "one", isOn)));
  }

  // --- chosen annotations

  deleteSelected(): void {
    const { selection, locked } = this.state;
    this.change("delete", (list) => list.filter((one) => !selection.has(one.id) || locked.has(one.id)));
    this.select([...selection].filter((id) => locked.has(id)));
  }

  copy(): number {
    const { doc, selection } = this.state;
    this.clipboard = (doc?.annotations ?? []).filter((one) => selection.has(one.id));
    return this.clipboard.length;
  }

  paste(): void {
    if (this.clipboard.length === 0) return;
    this.addCopies("paste", this.clipboard);
  }

  /** Everything of the item before this one (in a video: of the frame before), on top of what is there. */
  async copyPrevious(): Promise<number> {
    const { doc } = this.state;
    if (!doc) return 0;
    const before = await this.list.beside(doc.item.seq, -1);
    const from = before ? await this.docs.load(before.seq) : null;
    if (!from || this.state.doc !== doc) return 0;
    const taken = this.kind.hasTracks ? new Set(doc.annotations.map((one) => one.track)) : new Set();
    const copied = from.annotations.filter((one) => one.track === undefined || !taken.has(one.track));
    if (copied.length > 0) this.addCopies("copy", copied.map(withoutAuto));
    return copied.length;
  }

  private addCopies(action: ActionName, annotations: readonly Annotation[]): void {
    const copies = annotations.map((one) => ({ ...one, id: newId() }));
    this.change(action, (list) => (this.kind.classes === "one" ? [...list.filter((one) => one.type !== "class" || !copies.some((copy) => copy.type === "class")), ...copies] : [...list, ...copies]));
    this.select(copies.map((one) => one.id));
  }

  /** To the front, to the back, or one step. */
  reorder(to: "front" | "back" | "forward" | "backward"): void {
    const { selection } = this.state;
    this.change("order", (list) => {
      const [chosen, rest] = [list.filter((one) => selection.has(one.id)), list.filter((one) => !selection.has(one.id))];
      if (to === "front") return [...rest, ...chosen];
      if (to === "back") return [...chosen, ...rest];
      return stepped(list, selection, to === "forward" ? 1 : -1);
    });
  }

  update(id: string, action: ActionName, fields: Partial<Annotation>): void {
    this.change(action, (list) => list.map((one) => (one.id === id ? ({ ...one, ...fields } as Annotation) : one)));
  }

  nudge(dx: number, dy: number): void {
    const { selection, locked } = this.state;
    this.change("move", (list) => list.map((one) => (selection.has(one.id) && !locked.has(one.id) ? moved(one, dx, dy) : one)));
  }

  toggleHidden(ids: Iterable<string>): void {
    this.set({ hidden: toggled(this.state.hidden, ids) });
  }

  toggleLocked(ids: Iterable<string>): void {
    this.set({ locked: toggled(this.state.locked, ids) });
  }

  /** Reading order: the list from first to last. */
  reread(ids: string[]): void {
    const order = new Map(ids.map((id, i) => [id, i + 1]));
    this.change("order", (list) => list.map((one) => (order.has(one.id) && one.order !== order.get(one.id) ? { ...one, order: order.get(one.id) } : one)));
  }

  // --- inside

  /** What becomes of the annotations of those that are loaded. */
  private listsOf(seqs: number[], next: (list: readonly Annotation[]) => readonly Annotation[], isMeant: (list: readonly Annotation[]) => boolean = () => true): Map<number, readonly Annotation[]> {
    const lists = seqs.flatMap((seq) => {
      const doc = this.docs.find(seq);
      return doc && isMeant(doc.annotations) ? [[seq, next(doc.annotations)] as const] : [];
    });
    return new Map(lists);
  }

  private async replay(step: Step | null): Promise<void> {
    if (!step) return;
    for (const { seq } of step.changes) await this.docs.load(seq);
    for (const { seq, patch, state } of step.changes) {
      const doc = this.docs.find(seq);
      if (doc) this.docs.change(seq, applied(doc.annotations, patch), state?.after ?? null);
    }
    const [first] = step.changes;
    const isElsewhere = first && !step.changes.some((change) => change.seq === this.state.doc?.item.seq);
    if (isElsewhere && this.state.view === "one") await this.open(first.seq);
    this.set({});
  }

  /** Computed shapes between the key frames around a changed one. */
  private async fillTracks(item: Item, touched: (string | undefined)[]): Promise<void> {
    const tracks = new Set(touched.filter((track) => track !== undefined));
    if (tracks.size === 0) return;
    const [before, after] = await Promise.all([this.frames(item, true), this.frames(item, false)]);
    const here = this.docs.find(item.seq);
    if (!here || this.isClosed) return;
    const next = new Map<number, readonly Annotation[]>();
    for (const track of tracks) {
      const frames = [...before.reverse(), here, ...after].map((doc) => frameOf(doc.item, next.get(doc.item.seq) ?? doc.annotations));
      for (const [seq, list] of interpolated(frames, track, newId)) next.set(seq, list);
    }
    if (next.size > 0) this.changeMany("track", next);
  }

  /** Frames of the same video beside this one, the nearest first. */
  private async frames(item: Item, isBackwards: boolean): Promise<Doc[]> {
    const page = await this.api.items({}, item.seq, { limit: TRACK_REACH, isBackwards, withAnnotations: true });
    const end = page.items.findIndex((one) => videoOf(one) !== videoOf(item));
    return (end < 0 ? page.items : page.items.slice(0, end)).map((one) => {
      const known = this.docs.find(one.seq);
      return known && (this.outbox.find(one.seq) || known.base === one.revision) ? known : this.docs.take(one);
    });
  }

  private show(doc: Doc): void {
    this.outbox.flush();
    this.pictures.use(doc.item.seq);
    this.set({ doc, opening: null, error: null, selection: NONE, wantsText: null });
    void this.prefetch(doc.item.seq);
  }

  private async prefetch(seq: number): Promise<void> {
    if (this.kind.view === "picture") await this.pictures.load(seq).catch(() => undefined); // the picture's own place says what is wrong
    const { items } = this.list.get();
    const index = items.findIndex((item) => item.seq === seq);
    if (index < 0) return;
    if (index > items.length - 10) void this.list.more(false);
    for (const item of [...items.slice(index + 1, index + 1 + PREFETCHED), ...items.slice(Math.max(0, index - 1), index)]) {
      if (this.isClosed || this.state.doc?.item.seq !== seq) return;
      const work: Promise<unknown>[] = [this.docs.load(item.seq)];
      if (this.kind.view === "picture") work.push(this.pictures.load(item.seq));
      await Promise.allSettled(work);
    }
  }

  private docChanged(seq: number): void {
    const { doc, selection } = this.state;
    if (doc?.item.seq !== seq) return this.set({});
    const next = this.docs.find(seq);
    if (!next) return;
    const there = new Set(next.annotations.map((one) => one.id));
    const isAllThere = [...selection].every((id) => there.has(id));
    this.set({ doc: next, ...(isAllThere ? {} : { selection: new Set([...selection].filter((id) => there.has(id))) }) });
  }

  private set(next: Partial<SessionState>): void {
    this.state = { ...this.state, ...next, canUndo: this.history.canUndo, canRedo: this.history.canRedo };
    this.listeners.forEach((listener) => listener());
  }
}

export function hasChildren(label: Label, labels: readonly Label[]): boolean {
  return labels.some((one) => one.parent === label.number);
}

/** Chosen by a person: what a model proposed is not on it yet, and choosing it puts it on. */
function hasClass(list: readonly Annotation[], number: number): boolean {
  return list.some((one) => one.type === "class" && one.label === number && !isSuggestion(one));
}

function withClass(list: readonly Annotation[], number: number, isOnlyOne: boolean, isOn: boolean): readonly Annotation[] {
  const kept = list.filter((one) => one.type !== "class" || (one.label !== number && !(isOnlyOne && isOn)));
  return isOn ? [...kept, { id: newId(), type: "class", label: number }] : kept;
}

function withoutAuto(annotation: Annotation): Annotation {
  return omit(annotation, "auto") as Annotation;
}

function stepped(list: readonly Annotation[], chosen: ReadonlySet<string>, step: 1 | -1): Annotation[] {
  const next = step > 0 ? [...list].reverse() : [...list];
  for (let i = 1; i < next.length; i++) {
    const [a, b] = [next[i - 1] as Annotation, next[i] as Annotation];
    if (chosen.has(b.id) && !chosen.has(a.id)) [next[i - 1], next[i]] = [b, a];
  }
  return step > 0 ? next.reverse() : next;
}

function toggled(set: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> {
  const next = new Set(set);
  const list = [...ids];
  const isOn = list.some((id) => !set.has(id));
  for (const id of list) if (isOn) next.add(id);
  else next.delete(id);
  return next;
}
