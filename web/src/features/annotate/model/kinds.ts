/** What each type of annotation needs of the workbench. */
import type { AnnotationType } from "./types";

export type DatasetType =
  | "classification"
  | "multi-classification"
  | "detection"
  | "segmentation"
  | "keypoints"
  | "ocr"
  | "text-classification"
  | "audio-classification"
  | "audio-transcription"
  | "video"
  | "tabular"
  | "none";

export type ToolName = "select" | "box" | "turned" | "polygon" | "polyline" | "point" | "circle" | "brush" | "eraser" | "keypoints" | "smart";

export interface Kind {
  /** Where it is annotated. */
  view: "picture" | "text" | "row" | "audio";
  tools: ToolName[];
  /** Whole-item labels: none, one of them, or several. */
  classes: "none" | "one" | "many";
  /** Shapes carry a text and a reading order. */
  hasText: boolean;
  /** Items are frames in time; shapes belong to tracks. */
  hasTracks: boolean;
  hasSegments: boolean;
  hasGrid: boolean;
  smartShape: "polygon" | "mask" | "box";
  /** What a label counts, for the lists beside the picture. */
  main: AnnotationType;
}

const picture: Kind = { view: "picture", tools: [], classes: "none", hasText: false, hasTracks: false, hasSegments: false, hasGrid: true, smartShape: "polygon", main: "class" };

export const KINDS: Record<DatasetType, Kind> = {
  classification: { ...picture, classes: "one" },
  "multi-classification": { ...picture, classes: "many" },
  detection: { ...picture, tools: ["select", "box", "turned", "polygon", "point", "circle", "smart"], smartShape: "box", main: "box" },
  segmentation: { ...picture, tools: ["select", "polygon", "brush", "eraser", "smart", "box", "polyline", "point", "circle"], main: "polygon" },
  keypoints: { ...picture, tools: ["select", "keypoints", "box", "point"], main: "keypoints" },
  ocr: { ...picture, tools: ["select", "box", "turned", "polygon", "smart"], hasText: true, smartShape: "box", main: "box" },
  "text-classification": { ...picture, view: "text", classes: "many" },
  "audio-classification": { ...picture, view: "audio", classes: "many", hasGrid: false },
  "audio-transcription": { ...picture, view: "audio", hasSegments: true, hasGrid: false, main: "segment" },
  video: { ...picture, tools: ["select", "box", "polygon", "point", "smart"], hasTracks: true, smartShape: "box", main: "box" },
  tabular: { ...picture, view: "row", classes: "one" },
  none: { ...picture, hasGrid: false },
};

/** The tool the workbench opens with. */
export function firstTool(kind: Kind): ToolName {
  return kind.tools[1] ?? "select";
}
