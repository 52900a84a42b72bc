/** A short piece of code inside a document, coloured but without the machinery of an editor. */
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { loadLanguageNamed } from "./languages";
import styles from "./Code.module.css";

const COLOURED_MAX = 100_000;

interface Coloured {
  code: string;
  language: string;
  parts: ReactNode[];
}

export default function HighlightedCode({ code, language }: { code: string; language: string }) {
  const [coloured, setColoured] = useState<Coloured | null>(null);

  useEffect(() => {
    if (code.length > COLOURED_MAX) return;
    let isGone = false;
    void loadLanguageNamed(language).then((support) => {
      if (support && !isGone) setColoured({ code, language, parts: colour(code, support.language.parser.parse(code)) });
    });
    return () => {
      isGone = true;
    };
  }, [code, language]);

  const isCurrent = coloured?.code === code && coloured.language === language;
  return (
    <pre className={`${styles.static} ${styles.coloured}`}>
      <code>{isCurrent ? coloured.parts : code}</code>
    </pre>
  );
}

function colour(code: string, tree: Parameters<typeof highlightCode>[1]): ReactNode[] {
  const parts: ReactNode[] = [];
  const put = (text: string, classes: string) => {
    parts.push(
      classes ? (
        <span key={parts.length} className={classes}>
          {text}
        </span>
      ) : (
        text
      ),
    );
  };
  highlightCode(code, tree, classHighlighter, put, () => parts.push("\n"));
  return parts;
}
