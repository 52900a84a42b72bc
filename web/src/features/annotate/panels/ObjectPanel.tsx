import { ArrowDownOutlined, ArrowUpOutlined, CheckOutlined, DeleteOutlined, EyeInvisibleOutlined, EyeOutlined, LockOutlined, UnlockOutlined } from "@ant-design/icons";
import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { clock } from "../engine/waveform";
import { Certainty } from "@/features/auto/Certainty";
import { isSuggestion } from "../model/suggestions";
import type { Annotation, Label } from "../model/types";
import { useSession, useSessionState } from "../session/use-session";
import { Details } from "./Details";
import { letGo } from "./let-go";
import styles from "../Workbench.module.css";

/** So many rows are drawn at most; the rest is found on the picture. */
const MOST_ROWS = 200;

/** What the item has, one row each; those that carry a text show it to be typed. */
export function ObjectPanel() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const doc = useSessionState((state) => state.doc);
  const labels = useSessionState((state) => state.labels);
  const selection = useSessionState((state) => state.selection);
  const byNumber = useMemo(() => new Map(labels.map((label) => [label.number, label])), [labels]);
  const objects = useMemo(() => inReadingOrder((doc?.annotations ?? []).filter((one) => one.type !== "class")), [doc]);
  const hasOrder = session.kind.hasText;
  const shown = objects.length > MOST_ROWS ? objects.filter((one) => selection.has(one.id)).slice(0, MOST_ROWS) : objects;
  const swap = useCallback(
    (id: string, by: number) => {
      const ids = inReadingOrder((session.get().doc?.annotations ?? []).filter((one) => one.type !== "class")).map((one) => one.id);
      const from = ids.indexOf(id);
      ids.splice(from, 1);
      ids.splice(from + by, 0, id);
      session.reread(ids);
    },
    [session],
  );
  return (
    <section className={styles.objects} aria-label={t("objects")}>
      <h2 className={styles.panelTitle}>
        {t("objects")} <span className={styles.count}>{objects.length}</span>
      </h2>
      {objects.length > MOST_ROWS && <p className={styles.none}>{t("manyObjects", { count: objects.length })}</p>}
      {objects.length === 0 && <p className={styles.none}>{t(session.kind.hasSegments ? "noSegments" : "noObjects")}</p>}
      <ul className={styles.objectList}>
        {shown.map((one, index) => (
          <ObjectRow key={one.id} annotation={one} label={byNumber.get(one.label ?? -1) ?? null} isChosen={selection.has(one.id)} place={!hasOrder ? null : index === 0 ? "first" : index === objects.length - 1 ? "last" : "between"} onSwap={swap} />
        ))}
      </ul>
      {selection.size === 1 && <Details />}
    </section>
  );
}

function inReadingOrder(list: Annotation[]): Annotation[] {
  if (list.every((one) => one.type === "segment")) return [...list].sort((a, b) => (a as { start: number }).start - (b as { start: number }).start);
  return list.some((one) => one.order !== undefined) ? [...list].sort((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity)) : list;
}

interface ObjectRowProps {
  annotation: Annotation;
  label: Label | null;
  isChosen: boolean;
  /** In the reading order; null where there is none. */
  place: "first" | "between" | "last" | null;
  onSwap: (id: string, by: number) => void;
}

/** There may be hundreds: plain buttons, drawn again only when their own annotation changes. */
const ObjectRow = memo(function ObjectRow({ annotation, label, isChosen, place, onSwap }: ObjectRowProps) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const isHidden = useSessionState((state) => state.hidden.has(annotation.id));
  const isLocked = useSessionState((state) => state.locked.has(annotation.id));
  const row = useRef<HTMLLIElement>(null);
  const name = label?.name ?? t(`type.${annotation.type}`);
  const isProposed = isSuggestion(annotation);
  const hasText = session.kind.hasText || annotation.type === "segment";

  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li ref={row} className={styles.object} data-chosen={isChosen || undefined} data-hidden={isHidden || undefined} data-suggested={isProposed || undefined}>
      <div className={styles.objectLine}>
        <button type="button" className={styles.objectName} aria-pressed={isChosen} onClick={(event) => {
          letGo(event);
          session.select(event.shiftKey ? [...session.get().selection, annotation.id] : [annotation.id]);
        }}>
          <span className={styles.swatch} style={{ background: label?.colour }} aria-hidden="true" />
          {annotation.order !== undefined && session.kind.hasText && <span className={styles.count}>{annotation.order}</span>}
          <span className={styles.labelName}>{name}</span>
          {isProposed ? <Certainty value={annotation.score ?? null} /> : <span className={styles.facts}>{factsOf(annotation, t)}</span>}
        </button>
        {isProposed && <RowButton isDisabled={session.isReadOnly} icon={<CheckOutlined aria-hidden />} label={t("suggestions.acceptOne", { name })} onClick={() => session.decide("accept", new Set([annotation.id]))} />}
        {(place === "between" || place === "last") && <RowButton icon={<ArrowUpOutlined aria-hidden />} label={t("readEarlier", { name })} onClick={() => onSwap(annotation.id, -1)} />}
        {(place === "between" || place === "first") && <RowButton icon={<ArrowDownOutlined aria-hidden />} label={t("readLater", { name })} onClick={() => onSwap(annotation.id, 1)} />}
        {annotation.type !== "segment" && (
          <>
            <RowButton icon={isHidden ? <EyeInvisibleOutlined aria-hidden /> : <EyeOutlined aria-hidden />} label={isHidden ? t("show", { name }) : t("hide", { name })} onClick={() => session.toggleHidden([annotation.id])} />
            <RowButton icon={isLocked ? <LockOutlined aria-hidden /> : <UnlockOutlined aria-hidden />} label={isLocked ? t("unlock", { name }) : t("lock", { name })} onClick={() => session.toggleLocked([annotation.id])} />
          </>
        )}
        <RowButton
          isDisabled={isLocked || session.isReadOnly}
          icon={<DeleteOutlined aria-hidden />}
          label={t(isProposed ? "suggestions.rejectOne" : "remove", { name })}
          onClick={() => session.change("delete", (list) => list.filter((one) => one.id !== annotation.id))}
        />
      </div>
      {hasText && <TextField annotation={annotation} />}
    </li>
  );
});

function RowButton({ icon, label, isDisabled = false, onClick }: { icon: React.ReactNode; label: string; isDisabled?: boolean; onClick: () => void }) {
  return (
    <button type="button" className={styles.rowButton} aria-label={label} title={label} disabled={isDisabled} onClick={onClick}>
      {icon}
    </button>
  );
}

/** Text is a change when the field or the page is left, on Enter, and after a pause in typing. */
const PAUSE_MS = 400;

function TextField({ annotation }: { annotation: Annotation }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const wantsText = useSessionState((state) => state.wantsText === annotation.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const stored = annotation.text ?? "";
  const [shown, setShown] = useState({ text: stored, stored });

  // Undone, merged or restored elsewhere.
  if (shown.stored !== stored) setShown({ text: stored, stored });
  useEffect(() => {
    if (wantsText) field.current?.focus();
  }, [wantsText]);
  const keep = useCallback(() => {
    if (shown.text !== stored) session.update(annotation.id, "text", { text: shown.text });
  }, [session, annotation.id, shown.text, stored]);
  useEffect(() => {
    if (shown.text === stored) return;
    const timer = window.setTimeout(keep, PAUSE_MS);
    window.addEventListener("beforeunload", keep);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("beforeunload", keep);
    };
  }, [keep, shown.text, stored]);
  return (
    <textarea
      ref={field}
      rows={1}
      className={styles.textField}
      value={shown.text}
      disabled={session.isReadOnly}
      placeholder={t("textPlaceholder")}
      aria-label={t("textOfObject", { number: annotation.order ?? "" })}
      onFocus={() => !session.get().selection.has(annotation.id) && session.select([annotation.id])}
      onChange={(event) => setShown({ ...shown, text: event.target.value })}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing)) {
          event.preventDefault();
          event.currentTarget.blur();
        }
      }}
    />
  );
}

function factsOf(annotation: Annotation, t: (key: "facts.auto" | "facts.parts", values?: { count: number }) => string): string {
  switch (annotation.type) {
    case "box":
      return [`${Math.round(annotation.w)}×${Math.round(annotation.h)}`, annotation.angle ? `${Math.round(annotation.angle)}°` : "", annotation.auto ? t("facts.auto") : ""].filter(Boolean).join(" ");
    case "polygon":
      return t("facts.parts", { count: annotation.rings.reduce((sum, ring) => sum + ring.length / 2, 0) });
    case "keypoints":
      return `${annotation.points.filter(([, , v]) => v > 0).length}/${annotation.points.length}`;
    case "segment":
      return `${clock(annotation.start, true)}–${clock(annotation.end, true)}`;
    default:
      return "";
  }
}
