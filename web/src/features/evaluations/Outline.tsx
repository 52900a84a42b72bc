/** What is drawn of an annotation: its outline or points, with the bones between them, each with a casing so that it is seen on any picture. */
import { useMemo } from "react";
import type { Edges } from "@/features/annotate/model/skeleton";
import { bonesIn, isDots, outlineOf } from "./painting";
import type { NamedAnnotation } from "./result";

interface OutlineProps {
  annotation: NamedAnnotation;
  /** How keypoints are joined. */
  edges: Edges | undefined;
  isOn: boolean;
  /** Classes of the two lines. */
  casing: string | undefined;
  line?: string | undefined;
  colour?: string;
}

export function Outline({ annotation, edges, isOn, ...look }: OutlineProps) {
  const path = useMemo(() => outlineOf(annotation), [annotation]);
  const bones = useMemo(() => bonesIn(annotation, edges), [annotation, edges]);
  return (
    <g data-on={isOn || undefined}>
      {bones !== "" && <Line path={bones} {...look} />}
      <Line path={path} isDots={isDots(annotation)} {...look} />
    </g>
  );
}

interface LineProps {
  path: string;
  isDots?: boolean;
  casing: string | undefined;
  line?: string | undefined;
  colour?: string;
}

function Line({ path, isDots: hasDots = false, casing, line, colour }: LineProps) {
  return (
    <g data-dots={hasDots || undefined}>
      <path className={casing} d={path} vectorEffect="non-scaling-stroke" />
      <path className={line} d={path} stroke={colour} vectorEffect="non-scaling-stroke" />
    </g>
  );
}
