import { useTranslation } from "react-i18next";
import { Certainty } from "@/features/auto/Certainty";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import type { InferenceRun, ResultView } from "../types";
import { ResultPicture } from "./ResultPicture";
import { useSaid } from "./said";
import type { CSSProperties } from "react";
import pictures from "@/ui/Pictures.module.css";
import styles from "../Inference.module.css";

export interface ResultsShown {
  run: InferenceRun;
  results: ResultView[];
  onOpen: (seq: number) => void;
}

export function ResultGrid({ run, results, onOpen }: ResultsShown) {
  const { t } = useTranslation("inference");
  const said = useSaid();
  const casing = useCasing();
  return (
    <ul className={pictures.grid} aria-label={t("results.title")} style={casing}>
      {results.map((result) => (
        <li key={result.seq} className={pictures.cell}>
          <button type="button" className={`${pictures.open} ${styles.open}`} title={result.path} aria-label={t("results.open", { name: result.path })} onClick={() => onOpen(result.seq)}>
            <ResultPicture run={run} result={result} />
          </button>
          <div className={styles.foot}>
            <span className={result.error === null ? styles.said : `${styles.said} ${styles.wrong}`} title={said(result)}>
              {said(result)}
            </span>
            {result.score !== null && <Certainty value={result.score} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Outlines are seen on pictures of any colour. */
export function useCasing(): CSSProperties {
  return { "--tm-casing": workbenchColours(useThemeMode()).handleEdge } as CSSProperties;
}
