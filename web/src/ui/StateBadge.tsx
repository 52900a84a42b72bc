import styles from "./StateBadge.module.css";

/** The states everything that runs can be in; each looks the same everywhere. */
export type BadgeTone = "waiting" | "starting" | "running" | "stopping" | "completed" | "failed" | "stopped";

/** A state in words with its colour beside it, never by colour alone. */
export function StateBadge({ tone, text }: { tone: BadgeTone; text: string }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {text}
    </span>
  );
}
