import { isShape } from "@/features/annotate/model/types";
import type { Annotation } from "@/features/annotate/model/types";
import type { LabelView } from "../types";
import { shapePath } from "./shape-path";
import styles from "./Items.module.css";

/** More than this many outlines on a small picture are only noise. */
const MOST = 200;

export type Labels = ReadonlyMap<number, LabelView>;

interface OverlayProps {
  annotations: readonly Annotation[];
  labels: Labels;
  width: number;
  height: number;
  /** The one that is pointed at stands out. */
  highlighted?: string | null;
}

/** What is drawn on a picture, laid over it; it fits where the picture fits into its box. */
export function Overlay({ annotations, labels, width, height, highlighted = null }: OverlayProps) {
  const shapes = annotations.filter(isShape).slice(0, MOST);
  if (shapes.length === 0) return null;
  return (
    <svg className={styles.overlay} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-pointing={highlighted !== null || undefined}>
      {shapes.map((shape) => {
        const label = shape.label === undefined ? undefined : labels.get(shape.label);
        return <path key={shape.id} d={shapePath(shape, label?.skeleton)} stroke={label?.colour ?? "currentColor"} vectorEffect="non-scaling-stroke" data-on={shape.id === highlighted || undefined} />;
      })}
    </svg>
  );
}
