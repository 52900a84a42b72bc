import { useMemo } from "react";
import type { NamedAnnotation } from "@/features/evaluations/result";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";

/** A colour for each label of an answer, in the order they come; with more labels than colours these come again. */
export function useAnswerColours(annotations: readonly NamedAnnotation[]): (label: string | undefined) => string {
  const { curves } = chartColours(useThemeMode());
  return useMemo(() => {
    const labels = [...new Set(annotations.map((one) => one.label))];
    return (label) => curves[Math.max(0, labels.indexOf(label)) % curves.length] ?? "";
  }, [annotations, curves]);
}
