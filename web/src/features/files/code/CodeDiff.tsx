/** Two texts side by side, with what differs marked. */
import { MergeView } from "@codemirror/merge";
import { useEffect, useRef } from "react";
import { loadLanguageOf } from "./languages";
import { useCodePhrases } from "./phrases";
import { codeSetup, readOnly } from "./setup";
import styles from "./Code.module.css";

interface CodeDiffProps {
  path: string;
  left: { label: string; text: string };
  right: { label: string; text: string };
}

export default function CodeDiff({ path, left, right }: CodeDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const phrases = useCodePhrases();

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    let view: MergeView | undefined;
    let isGone = false;
    void loadLanguageOf(path).then((support) => {
      if (isGone) return;
      const side = ({ label, text }: CodeDiffProps["left"]) => ({ doc: text, extensions: [codeSetup(path, label, phrases), readOnly, support ?? []] });
      view = new MergeView({ parent, a: side(left), b: side(right), collapseUnchanged: { margin: 3 } });
      view.dom.tabIndex = 0;
    });
    return () => {
      isGone = true;
      view?.destroy();
    };
  }, [path, left, right, phrases]);

  return <div ref={host} className={`${styles.box} ${styles.coloured}`} />;
}
