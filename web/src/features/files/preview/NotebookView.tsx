import { lazy, Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/ui/EmptyState";
import MarkdownView from "./MarkdownView";
import { parseNotebook } from "./notebook";
import type { NotebookCell, NotebookOutput } from "./notebook";
import styles from "./Preview.module.css";

const HighlightedCode = lazy(() => import("../code/HighlightedCode"));

export default function NotebookView({ text }: { text: string }) {
  const { t } = useTranslation("files");
  const notebook = useMemo(() => parseNotebook(text), [text]);
  if (!notebook) return <EmptyState picture="search" title={t("preview.notNotebook")} text={t("preview.notNotebookText")} />;
  return (
    <div className={styles.document}>
      {notebook.cells.map((cell, index) => (
        <Cell key={index} cell={cell} language={notebook.language} />
      ))}
    </div>
  );
}

function Cell({ cell, language }: { cell: NotebookCell; language: string }) {
  return (
    <div className={styles.cell}>
      <div className={styles.cellMark}>{cell.kind === "code" && `[${cell.count ?? " "}]`}</div>
      <div className={styles.cellBody}>
        {cell.kind === "markdown" && <MarkdownView text={cell.source} />}
        {cell.kind === "raw" && <pre className={styles.output}>{cell.source}</pre>}
        {cell.kind === "code" && cell.source !== "" && (
          <Suspense fallback={<pre>{cell.source}</pre>}>
            <HighlightedCode code={cell.source} language={language} />
          </Suspense>
        )}
        {cell.outputs.map((output, index) => (
          <Output key={index} output={output} />
        ))}
      </div>
    </div>
  );
}

function Output({ output }: { output: NotebookOutput }) {
  const { t } = useTranslation("files");
  switch (output.kind) {
    case "text":
      return (
        <pre className={styles.output} data-error={output.isError || undefined}>
          {output.text}
        </pre>
      );
    case "image":
      return <img className={styles.outputImage} src={output.address} alt={t("preview.outputImage")} />;
    case "markdown":
      return <MarkdownView text={output.text} />;
    case "html":
      // Foreign HTML lives in a frame of its own that may run nothing, load nothing and reach nothing.
      return <iframe className={styles.outputFrame} sandbox="" srcDoc={harmless(output.html)} title={t("preview.outputHtml")} />;
  }
}

function harmless(html: string): string {
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:";
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><style>body{font:13px system-ui,sans-serif;margin:8px}table{border-collapse:collapse}td,th{padding:4px 8px;border:1px solid silver}</style>${html}`;
}
