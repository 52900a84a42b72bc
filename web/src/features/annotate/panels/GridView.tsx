import { Button, Empty, Spin } from "antd";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Certainty } from "@/features/auto/Certainty";
import { certaintyOf } from "../model/suggestions";
import type { Item, Label } from "../model/types";
import { useItemList, useSession, useSessionState } from "../session/use-session";
import { BulkSuggestions, DecideTicked } from "./BulkSuggestions";
import { letGo } from "./let-go";
import { StateMark } from "./StateMark";
import { Thumb } from "./Thumb";
import styles from "../Workbench.module.css";

/** Many items at once: tick them (Shift for a range), then press a label's key. A double click opens one. */
export function GridView() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const { items, hasAfter, isLoading } = useItemList();
  const labels = useSessionState((state) => state.labels);
  const ticked = useSessionState((state) => state.ticked);
  const byNumber = useMemo(() => new Map(labels.map((label) => [label.number, label])), [labels]);
  const last = useRef<number | null>(null);

  const tick = (seq: number, event: React.MouseEvent<HTMLElement>) => {
    letGo(event);
    const next = new Set(ticked);
    const from = last.current;
    if (event.shiftKey && from !== null) for (const item of items) if (item.seq >= Math.min(from, seq) && item.seq <= Math.max(from, seq)) next.add(item.seq);
    if (!event.shiftKey) if (!next.delete(seq)) next.add(seq);
    last.current = seq;
    session.tick(next);
  };
  return (
    <div
      className={styles.gridPlace}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        if (hasAfter && scrollTop + clientHeight > scrollHeight - 600) void session.list.more(false);
      }}
    >
      <div className={styles.gridBar}>
        <span>{t("ticked", { count: ticked.size })}</span>
        <Button size="small" onClick={() => session.tick(items.map((item) => item.seq))}>
          {t("tickAll")}
        </Button>
        <Button size="small" disabled={ticked.size === 0} onClick={() => session.tick([])}>
          {t("tickNone")}
        </Button>
        <DecideTicked />
        <span className={styles.hint}>{session.kind.classes === "none" ? t("gridHintShapes") : t("gridHint")}</span>
      </div>
      <BulkSuggestions />
      <ul className={styles.grid} aria-label={t("items")}>
        {items.map((item) => (
          <Cell key={item.seq} item={item} labels={byNumber} isTicked={ticked.has(item.seq)} onTick={(event) => tick(item.seq, event)} />
        ))}
      </ul>
      {isLoading && <Spin />}
      {!isLoading && items.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t("nothingHere")} />}
    </div>
  );
}

interface CellProps {
  item: Item;
  labels: ReadonlyMap<number, Label>;
  isTicked: boolean;
  onTick: (event: React.MouseEvent<HTMLElement>) => void;
}

function Cell({ item, labels, isTicked, onTick }: CellProps) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const doc = useSessionState(() => session.docs.find(item.seq));
  const isWaiting = useSessionState(() => session.outbox.find(item.seq) !== null);
  const annotations = doc?.annotations ?? item.annotations ?? [];
  const classes = annotations.filter((one) => one.type === "class").map((one) => labels.get(one.label ?? -1)).filter((label) => label !== undefined);
  const state = doc?.state ?? item.state;
  const certainty = state === "suggested" ? certaintyOf(item, annotations) : null;
  const named = [t(`state.${state}`), certainty === null ? null : `${Math.round(certainty * 100)}%`].filter(Boolean).join(" ");
  const open = () => {
    session.setView("one");
    void session.open(item.seq);
  };
  return (
    <li className={styles.cell} data-ticked={isTicked || undefined}>
      <button type="button" className={styles.cellButton} aria-pressed={isTicked} aria-label={t("itemName", { number: item.seq, name: item.path, state: named })} title={item.path} onClick={onTick} onDoubleClick={open}>
        <Thumb item={item} annotations={annotations} labels={labels} size={256} />
        <span className={styles.cellFoot}>
          <StateMark state={state} isWaiting={isWaiting} />
          {item.seq}
          <Certainty value={certainty} isSilent />
          {classes.map((label) => (
            <span key={label.number} className={styles.chip}>
              <span className={styles.swatch} style={{ background: label.colour }} aria-hidden="true" />
              {label.name}
            </span>
          ))}
        </span>
      </button>
    </li>
  );
}
