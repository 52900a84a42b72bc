import { Spin } from "antd";
import { memo, useDeferredValue, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Certainty } from "@/features/auto/Certainty";
import { certaintyOf } from "../model/suggestions";
import type { Annotation, Item, Label } from "../model/types";
import { useItemList, useSession, useSessionState } from "../session/use-session";
import { letGo } from "./let-go";
import { StateMark } from "./StateMark";
import { Thumb } from "./Thumb";
import styles from "../Workbench.module.css";

/** The items of the tab in a row, the open one in sight. */
export function Strip() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const { items, hasAfter, hasBefore, isLoading } = useItemList();
  const current = useSessionState((state) => state.opening ?? state.doc?.item.seq ?? null);
  const labels = useSessionState((state) => state.labels);
  const byNumber = useMemo(() => new Map(labels.map((label) => [label.number, label])), [labels]);
  const row = useRef<HTMLUListElement>(null);

  useEffect(() => {
    row.current?.querySelector(`[data-seq="${current}"]`)?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [current, items]);
  return (
    <ul
      ref={row}
      className={styles.strip}
      aria-label={t("items")}
      onScroll={(event) => {
        const { scrollLeft, scrollWidth, clientWidth } = event.currentTarget;
        if (hasAfter && scrollLeft + clientWidth > scrollWidth - 400) void session.list.more(false);
        else if (hasBefore && scrollLeft < 200) void session.list.more(true);
      }}
    >
      {items.map((item) => (
        <li key={item.seq} data-seq={item.seq}>
          <ItemButton item={item} isCurrent={item.seq === current} labels={byNumber} />
        </li>
      ))}
      {isLoading && <Spin size="small" />}
    </ul>
  );
}

const NONE: readonly Annotation[] = [];

const ItemButton = memo(function ItemButton({ item, isCurrent, labels }: { item: Item; isCurrent: boolean; labels: ReadonlyMap<number, Label> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const doc = useSessionState(() => session.docs.find(item.seq));
  const isWaiting = useSessionState(() => session.outbox.find(item.seq) !== null);
  // The large picture first.
  const annotations = useDeferredValue(doc?.annotations ?? item.annotations ?? NONE);
  const state = doc?.state ?? item.state;
  const classes = (doc?.annotations ?? []).filter((one) => one.type === "class").map((one) => labels.get(one.label ?? -1)).filter((label) => label !== undefined);
  const certainty = state === "suggested" ? certaintyOf(item, annotations) : null;
  const named = [t(`state.${state}`), certainty === null ? null : `${Math.round(certainty * 100)}%`].filter(Boolean).join(" ");
  return (
    <button type="button" className={styles.stripItem} aria-current={isCurrent || undefined} aria-label={t("itemName", { number: item.seq, name: item.path, state: named })} title={item.path} onClick={(event) => {
      letGo(event);
      void session.open(item.seq);
    }}>
      <Thumb item={item} annotations={annotations} labels={labels} size={256} />
      <span className={styles.stripFoot}>
        <StateMark state={state} isWaiting={isWaiting} />
        {item.seq}
        <Certainty value={certainty} isSilent />
        {classes.slice(0, 3).map((label) => (
          <span key={label.number} className={styles.swatch} style={{ background: label.colour }} aria-hidden="true" />
        ))}
      </span>
    </button>
  );
});
