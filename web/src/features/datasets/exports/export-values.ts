import type { AnnotationType, ItemState } from "../types";
import { filledOptions, writerOptions } from "../works/format-options";
import type { OptionValues } from "../works/format-options";

/** The format whose files are split into parts for training and testing. */
export const SPLIT_FORMAT = "training";

export interface ExportValues {
  format: string;
  withData: boolean;
  states: ItemState[];
  testPercent: number;
  seed: number;
  fresh: boolean;
  options?: OptionValues;
}

const SUGGESTED: Partial<Record<AnnotationType, string>> = { detection: "coco", segmentation: "coco", keypoints: "coco", video: "coco" };

/** What most people want for this kind of annotation; everything can be written without loss in the platform's own. */
export function suggestedFormat(type: AnnotationType): string {
  return SUGGESTED[type] ?? "tidemill";
}

export function exportOptions({ format, testPercent, seed, options }: ExportValues): Record<string, unknown> {
  return format === SPLIT_FORMAT ? { test_ratio: testPercent / 100, seed } : filledOptions(writerOptions(format), options);
}
