/** Which models are for which datasets. */
import type { AnnotationType } from "@/features/datasets/types";

const TASKS: Record<AnnotationType, string | null> = {
  classification: "image-classification",
  "multi-classification": "image-classification",
  detection: "object-detection",
  segmentation: "segmentation",
  keypoints: "keypoints",
  ocr: "ocr",
  "text-classification": "text-classification",
  "audio-classification": "audio-classification",
  "audio-transcription": null,
  video: "object-detection",
  tabular: "tabular",
  none: null,
};

/** Null: nothing that comes with the platform annotates these. */
export function taskOf(type: AnnotationType): string | null {
  return TASKS[type];
}

export function fitsTask(task: string, type: AnnotationType): boolean {
  return task === taskOf(type);
}
