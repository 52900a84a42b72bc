import type { ReactNode, WheelEventHandler } from "react";
import styles from "./ScrollBox.module.css";

interface ScrollBoxProps {
  label: string;
  className?: string;
  onWheel?: WheelEventHandler;
  children: ReactNode;
}

/** A box that scrolls by itself, so it takes the keyboard: otherwise only a mouse could reach its end. */
export function ScrollBox({ label, className, onWheel, children }: ScrollBoxProps) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the arrow keys once it has the focus
    <div className={className} role="group" aria-label={label} tabIndex={0} onWheel={onWheel}>
      {children}
    </div>
  );
}

/** A table that is as wide as what is in it. */
export function TableBox({ label, children }: Pick<ScrollBoxProps, "label" | "children">) {
  return (
    <ScrollBox label={label} className={styles.table}>
      {children}
    </ScrollBox>
  );
}
