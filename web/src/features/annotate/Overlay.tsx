import { useMemo } from "react";
import { shapePath } from "./model/shape-path";
import type { Edges } from "./model/skeleton";
import { isSuggestion } from "./model/suggestions";
import { isShape } from "./model/types";
import type { Annotation } from "./model/types";
import styles from "./Overlay.module.css";

/** More than this many outlines on a small picture are only noise. */
const MOST = 200;

/** As much of a label as an outline shows. */
export type OutlineLabels = ReadonlyMap<number, { colour: string; skeleton?: { edges?: Edges } | null }>;

interface OverlayProps {
  annotations: readonly Annotation[];
  labels: OutlineLabels;
  width: number;
  height: number;
  /** The one that is pointed at stands out. */
  highlighted?: string | null;
}

/** What is drawn on a picture, laid over it; it fits where the picture fits into its box. */
export function Overlay({ annotations, labels, width, height, highlighted = null }: OverlayProps) {
  const shapes = useMemo(() => firstShapes(annotations), [annotations]);
  if (shapes.length === 0) return null;
  return (
    <svg className={styles.overlay} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-pointing={highlighted !== null || undefined}>
      {shapes.map((shape) => {
        const label = shape.label === undefined ? undefined : labels.get(shape.label);
        return <path key={shape.id} d={shapePath(shape, label?.skeleton)} stroke={label?.colour ?? "currentColor"} vectorEffect="non-scaling-stroke" data-on={shape.id === highlighted || undefined} data-suggested={isSuggestion(shape) || undefined} />;
      })}
    </svg>
  );
}

function firstShapes(annotations: readonly Annotation[]) {
  return annotations.filter(isShape).slice(0, MOST);
}
