/** What datasets hold, how it can be annotated, and the states of their items; in the order they are offered. */
import { useTranslation } from "react-i18next";
import type { AnnotationType, DataType, ItemState } from "./types";

/** How what kind of data can be annotated. */
export const FITTING: Record<DataType, AnnotationType[]> = {
  image: ["detection", "classification", "multi-classification", "segmentation", "keypoints", "ocr", "none"],
  text: ["text-classification", "none"],
  audio: ["audio-classification", "audio-transcription", "none"],
  video: ["video", "none"],
  table: ["tabular", "none"],
};

export const DATA_TYPES = Object.keys(FITTING) as DataType[];
export const ANNOTATION_TYPES: AnnotationType[] = [...new Set(Object.values(FITTING).flat())];
export const ITEM_STATES: ItemState[] = ["unlabelled", "labelled", "suggested", "rework", "reviewed", "aside"];

export function isItemState(value: string | null | undefined): value is ItemState {
  return ITEM_STATES.some((state) => state === value);
}

/** What both words together say; where nothing is annotated only the data is named. */
export function useTypeText(): (of: { data_type: DataType; annotation_type: AnnotationType }) => string {
  const { t } = useTranslation("datasets");
  return ({ data_type, annotation_type }) => (annotation_type === "none" ? t(`dataType.${data_type}`) : t(`annotationType.${annotation_type}`));
}
