/** Any number of lines in a box: only those in sight are on the page. */
import { useCallback, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useBoxSize } from "@/lib/box-size";
import styles from "./Logs.module.css";

const LINE_PX = 20;
const SPARE = 20;
const NEAR_PX = 60;

interface LogLinesProps {
  label: string;
  count: number;
  /** Of the first line: when lines are put before it, what is in sight stays where it is. */
  firstKey: number;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  onTop?: () => void;
  onBottom?: () => void;
  render: (index: number) => ReactNode;
  /** Grows when the content changes. */
  version: number;
}

export function LogLines({ label, count, firstKey, isFollowing, onFollow, onTop, onBottom, render, version }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [watch, size] = useBoxSize();
  const [top, setTop] = useState(0);
  const height = size?.height ?? 400;
  const first = Math.max(0, Math.floor(top / LINE_PX) - SPARE);
  const last = Math.min(count, Math.ceil((top + height) / LINE_PX) + SPARE);

  useLayoutEffect(() => {
    const element = box.current;
    if (element && isFollowing) element.scrollTop = element.scrollHeight;
  }, [isFollowing, count, version, height]);

  const keepPlace = useEffectEvent((added: number) => {
    if (box.current && !isFollowing) box.current.scrollTop += added * LINE_PX;
  });
  const seenKey = useRef(firstKey);
  useLayoutEffect(() => {
    keepPlace(seenKey.current - firstKey);
    seenKey.current = firstKey;
  }, [firstKey]);

  const scrolled = (element: HTMLDivElement) => {
    setTop(element.scrollTop);
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (element.scrollTop < NEAR_PX && !isFollowing) onTop?.();
    if (below < NEAR_PX) onBottom?.();
  };
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      box.current = element;
      return watch(element);
    },
    [watch],
  );
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it listens only to being scrolled
    <div
      ref={attach}
      onScroll={(event) => scrolled(event.currentTarget)}
      className={styles.box}
      role="log"
      aria-label={label}
      aria-live="off"
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the arrow keys once it has the focus
      tabIndex={0}
      // Only the user's own hand ends the following; lines that come in scroll too.
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onTouchMove={() => onFollow(false)}
      onPointerDown={(event) => event.target === event.currentTarget && onFollow(false)}
      onKeyDown={(event) => {
        if (["ArrowUp", "PageUp", "Home"].includes(event.key)) onFollow(false);
        if (event.key === "End") onFollow(true);
      }}
    >
      <div className={styles.all} style={{ height: count * LINE_PX }}>
        <div className={styles.seen} style={{ transform: `translateY(${first * LINE_PX}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, index) => render(first + index))}
        </div>
      </div>
    </div>
  );
}
