/** A text being edited: what is on the server, what is in the editor, and what lies between. */
import { useCallback, useEffect, useState } from "react";
import { forgetKept, keepText, readKept } from "./kept-text";
import type { KeptText } from "./kept-text";

const KEEP_AFTER_MS = 400;

export interface Editing {
  text: string;
  /** The digest the text was last saved as, or started from. */
  base: string | null;
  isDirty: boolean;
  /** Typed in an earlier visit and brought back. */
  restored: KeptText | null;
  /** False when this browser could not keep the unsaved text. */
  isKept: boolean;
  change: (text: string) => void;
  saved: (text: string, digest: string) => void;
  startAgain: (text: string, digest: string | null) => void;
}

export function useEditing(key: string, serverText: string, serverDigest: string | null): Editing {
  const [restored, setRestored] = useState<KeptText | null>(() => unsavedOf(key, serverText));
  const [start, setStart] = useState(() => ({ text: serverText, base: restored ? restored.base : serverDigest }));
  const [text, setText] = useState(restored?.text ?? serverText);
  const [isKept, setKept] = useState(true);
  const isDirty = text !== start.text;

  useEffect(() => {
    if (!isDirty) return;
    const timer = window.setTimeout(() => setKept(keepText(key, { text, base: start.base, at: new Date().toISOString() })), KEEP_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [key, text, isDirty, start.base]);

  const saved = useCallback(
    (savedText: string, digest: string) => {
      forgetKept(key);
      setRestored(null);
      setStart({ text: savedText, base: digest });
    },
    [key],
  );
  const startAgain = useCallback(
    (next: string, digest: string | null) => {
      forgetKept(key);
      setRestored(null);
      setStart({ text: next, base: digest });
      setText(next);
    },
    [key],
  );
  return { text, base: start.base, isDirty, restored, isKept, change: setText, saved, startAgain };
}

function unsavedOf(key: string, serverText: string): KeptText | null {
  const kept = readKept(key);
  return kept && kept.text !== serverText ? kept : null;
}
