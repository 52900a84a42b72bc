/** How labels look on pictures: as the dataset says, and otherwise for those that only a model knows. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Edges } from "@/features/annotate/model/skeleton";
import { labelsQuery } from "@/features/datasets/queries";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";

export interface LabelLooks {
  /** A label's own colour, or one of the charts'. */
  colourOf: (label: string | undefined) => string;
  /** How its keypoints are joined. */
  edgesOf: (label: string | undefined) => Edges | undefined;
}

export function useLabelLooks(of: DatasetVersionRef | null): LabelLooks {
  const { curves } = chartColours(useThemeMode());
  const labels = useQuery({ ...labelsQuery(of ?? { project: "", dataset: "", version: 0 }), enabled: of !== null });
  return useMemo(() => {
    const known = new Map((labels.data?.items ?? []).map((label) => [label.name, label]));
    return {
      colourOf: (label = "") => known.get(label)?.colour ?? curves[[...label].reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % curves.length] ?? "",
      edgesOf: (label = "") => known.get(label)?.skeleton?.edges,
    };
  }, [labels.data, curves]);
}
