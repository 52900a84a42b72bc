/** Joins a session to a canvas: what one knows, the other shows; what is done on the one goes to the other. */
import { makeTool } from "../engine/make-tool";
import { Stage } from "../engine/stage";
import type { Palette, Tag } from "../engine/draw";
import { segment, shapeOf } from "../engine/tools/smart";
import type { Desk } from "../engine/tools/tool";
import type { Annotation, Box } from "../model/types";
import { boundsOf, union } from "../model/geometry";
import type { Rect } from "../model/geometry";
import { maskExtent } from "../model/rle";
import { isSuggestion } from "../model/suggestions";
import { isShape } from "../model/types";
import { RegionTool } from "../smart/region-tool";
import { findDraft, keepDraft } from "../session/drafts";
import type { Session, SessionState } from "../session/session";
import { viewOptions } from "../session/view-options";

export interface CanvasTexts {
  failed: (error: unknown) => void;
}

export class CanvasLink {
  readonly stage: Stage;
  private readonly helper = new RegionTool();
  private shown: SessionState | null = null;
  private shownSeq: number | null = null;
  private readonly ends: (() => void)[];

  constructor(
    root: HTMLElement,
    private readonly session: Session,
    palette: () => Palette,
    private readonly texts: CanvasTexts,
  ) {
    this.stage = new Stage(root, deskOf(session), palette);
    this.stage.setTags((annotation) => this.tagOf(annotation));
    this.stage.onDraft = (draft) => this.keep(draft);
    this.ends = [session.subscribe(() => this.sync()), viewOptions.subscribe(() => this.stage.setOptions(viewOptions.get()))];
    this.stage.setOptions(viewOptions.get());
    this.sync();
    this.resumeDraft();
  }

  close(): void {
    this.ends.forEach((end) => end());
    this.helper.close();
    this.stage.onDraft = null;
    this.stage.close();
  }

  recoloured(): void {
    this.stage.redrawAll();
  }

  zoomToSelection(): void {
    const { doc, selection } = this.session.get();
    const chosen = (doc?.annotations ?? []).filter((one) => selection.has(one.id)).filter(isShape);
    const around = chosen.reduce<Rect | null>((sum, shape) => union(sum, boundsOf(shape, (one) => (one.type === "mask" ? maskExtent(one) : { x: 0, y: 0, w: 0, h: 0 }))), null);
    if (around) this.stage.zoomTo(around);
    else this.stage.fit();
  }

  /** Boxes drawn roughly are drawn to the thing inside them. */
  async fitBoxes(): Promise<void> {
    const { doc, selection } = this.session.get();
    const boxes = (doc?.annotations ?? []).filter((one): one is Box => one.type === "box" && selection.has(one.id) && !one.angle);
    const fitted = new Map<string, Box>();
    this.stage.setBusy(true);
    try {
      for (const box of boxes) {
        const found = await segment(this.stage, this.helper, { inside: [], outside: [], box, tolerance: 0.4 });
        const shape = found && shapeOf(found, "box", this.stage);
        if (shape?.type === "box") fitted.set(box.id, { ...box, x: shape.x, y: shape.y, w: shape.w, h: shape.h });
      }
    } catch (error) {
      this.texts.failed(error);
    } finally {
      this.stage.setBusy(false);
    }
    if (fitted.size > 0 && this.session.get().doc?.item.seq === doc?.item.seq) this.session.change("smart", (list) => list.map((one) => fitted.get(one.id) ?? one));
  }

  private sync(): void {
    const state = this.session.get();
    const before = this.shown;
    this.shown = state;
    if (state.doc && state.doc.item.seq !== this.shownSeq) this.showItem(state);
    if (before?.labels !== state.labels) this.stage.setLabels(state.labels);
    if (before?.doc?.annotations !== state.doc?.annotations) this.stage.setAnnotations(state.doc?.annotations ?? []);
    if (before?.hidden !== state.hidden || before.locked !== state.locked || before.selection !== state.selection) this.stage.setMarks({ hidden: state.hidden, locked: state.locked, selected: state.selection });
    if (before?.tool !== state.tool) this.stage.setTool(makeTool(state.tool, { bench: this.stage, helper: this.helper, smartShape: () => this.session.kind.smartShape, onFailed: this.texts.failed }));
    else if (before?.activeLabel !== state.activeLabel || before.brushSize !== state.brushSize) this.stage.redraw();
  }

  private showItem({ doc }: SessionState): void {
    if (!doc) return;
    const { item } = doc;
    const isFirst = this.shownSeq === null;
    this.shownSeq = item.seq;
    if (!isFirst) this.stage.currentTool()?.cancel();
    const ready = this.session.pictures.find(item.seq);
    const size = { width: ready?.width ?? item.width ?? 1, height: ready?.height ?? item.height ?? 1 };
    this.stage.show(ready, size, viewOptions.get().keepView && !isFirst);
    if (ready) return;
    this.session.pictures.load(item.seq).then(
      (picture) => {
        if (this.shownSeq === item.seq) this.stage.show(picture, { width: picture.width, height: picture.height }, item.width === picture.width && item.height === picture.height);
      },
      (error: unknown) => this.shownSeq === item.seq && this.texts.failed(error),
    );
  }

  /** Where there is text to read, only its place in the reading order, beside it; with how sure the model was of a suggestion. */
  private tagOf(annotation: Annotation): Tag | null {
    const score = isSuggestion(annotation) ? `${Math.round(100 * (annotation.score ?? 0))}%` : null;
    if (this.session.kind.hasText) return withScore(annotation.order === undefined ? null : String(annotation.order), score, "beside");
    const label = this.session.get().labels.find((one) => one.number === annotation.label);
    return withScore(label ? shortened(label.name) : null, score, "above");
  }

  private keep(draft: unknown): void {
    const { doc, tool } = this.session.get();
    keepDraft(draft === null || !doc ? null : { version: this.session.version.id, seq: doc.item.seq, tool, draft });
  }

  private resumeDraft(): void {
    const { doc } = this.session.get();
    const kept = doc && findDraft(this.session.version.id, doc.item.seq);
    if (!kept || !this.session.kind.tools.includes(kept.tool)) return;
    this.session.setTool(kept.tool);
    this.stage.currentTool()?.restore?.(kept.draft);
  }
}

/** What a model proposed says how sure it was. */
function withScore(text: string | null, score: string | null, place: Tag["place"]): Tag | null {
  const words = [text, score].filter((word) => word !== null);
  return words.length > 0 ? { text: words.join(" "), place } : null;
}

const TAG_MOST = 24;

/** A sign as wide as the picture would hide it. */
function shortened(name: string): string {
  return name.length > TAG_MOST ? `${name.slice(0, TAG_MOST - 1)}…` : name;
}

function deskOf(session: Session): Desk {
  return {
    annotations: () => session.get().doc?.annotations ?? [],
    activeLabel: () => {
      const { labels, activeLabel } = session.get();
      return labels.find((label) => label.number === activeLabel) ?? null;
    },
    wantLabel: () => session.wantLabel(),
    change: (action, next) => session.change(action, next),
    select: (ids) => session.select(ids),
    selection: () => session.get().selection,
    isLocked: (id) => session.get().locked.has(id),
    fresh: (label) => session.fresh(label),
    drawn: (id) => session.drawn(id),
    isReadOnly: () => session.isReadOnly,
    brushSize: () => session.get().brushSize,
  };
}
