import type { ReactNode } from "react";
import styles from "./States.module.css";

interface EmptyStateProps {
  title: string;
  text?: string;
  action?: ReactNode;
  picture?: "wheel" | "search";
}

/** Nothing here yet: a picture, one sentence, the next step. */
export function EmptyState({ title, text, action, picture = "wheel" }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      {picture === "wheel" ? <StillWheel /> : <NothingFound />}
      <h2 className={styles.title}>{title}</h2>
      {text && <p className={styles.text}>{text}</p>}
      {action}
    </div>
  );
}

function StillWheel() {
  return (
    <svg className={styles.picture} viewBox="0 0 160 110" fill="none" aria-hidden="true">
      <path className={styles.ground} d="M8 88c12 0 12-7 24-7s12 7 24 7 12-7 24-7 12 7 24 7 12-7 24-7 12 7 24 7v22H8z" />
      <g className={styles.line}>
        <circle cx="80" cy="48" r="30" />
        <circle cx="80" cy="48" r="5" className={styles.fill} />
        <path d="M80 18v25M80 53v25M50 48h25M85 48h25M59 27l17 17M84 52l17 17M101 27L84 44M76 52L59 69" />
        <path d="M72 12h16M72 84h16M44 40v16M116 40v16" className={styles.paddle} />
      </g>
      <path className={styles.wave} d="M8 88c12 0 12-7 24-7s12 7 24 7 12-7 24-7 12 7 24 7 12-7 24-7 12 7 24 7" />
      <path className={styles.wave} d="M24 101c9 0 9-5 18-5s9 5 18 5 9-5 18-5 9 5 18 5 9-5 18-5 9 5 18 5" opacity=".5" />
    </svg>
  );
}

function NothingFound() {
  return (
    <svg className={styles.picture} viewBox="0 0 160 110" fill="none" aria-hidden="true">
      <rect className={styles.ground} x="22" y="18" width="92" height="72" rx="6" />
      <g className={styles.line}>
        <path d="M36 36h40M36 50h56M36 64h30" />
        <circle cx="104" cy="62" r="20" className={styles.lens} />
        <path d="M119 77l17 17" className={styles.paddle} />
      </g>
    </svg>
  );
}
