/** What an item's annotations look like: the one form used by the server, the journal and the workbench. */

export type AttributeValue = string | number | boolean;

/** Fields any annotation may carry. What is not known here is kept as it came. */
export interface Common {
  id: string;
  label?: number;
  attributes?: Record<string, AttributeValue>;
  score?: number;
  crowd?: boolean;
  ignore?: boolean;
  truncated?: boolean;
  difficult?: boolean;
  occluded?: boolean;
  group?: number;
  source?: string;
  text?: string;
  /** Reading order. */
  order?: number;
  /** Shapes of one thing in many frames share a track. */
  track?: string;
  /** Not made by a person: computed between two key frames or, where it has a score, proposed by a model. */
  auto?: boolean;
}

export interface Box extends Common {
  type: "box";
  x: number;
  y: number;
  w: number;
  h: number;
  /** Degrees clockwise about the centre. */
  angle?: number;
}

export interface Polygon extends Common {
  type: "polygon";
  rings: number[][];
  holes?: number[];
}

export interface Mask extends Common {
  type: "mask";
  /** Height, width. */
  size: [number, number];
  rle: string;
}

/** x, y, 0 none / 1 hidden / 2 visible. */
export type Keypoint = [number, number, number];

export interface Keypoints extends Common {
  type: "keypoints";
  points: Keypoint[];
  x?: number;
  y?: number;
  w?: number;
  h?: number;
}

export interface Polyline extends Common {
  type: "polyline";
  points: number[];
}

export interface PointMark extends Common {
  type: "point";
  x: number;
  y: number;
}

export interface Circle extends Common {
  type: "circle";
  x: number;
  y: number;
  r: number;
}

export interface ClassMark extends Common {
  type: "class";
}

export interface Segment extends Common {
  type: "segment";
  start: number;
  end: number;
}

export type Shape = Box | Polygon | Mask | Keypoints | Polyline | PointMark | Circle;
export type Annotation = Shape | ClassMark | Segment;
export type AnnotationType = Annotation["type"];

export type Point = readonly [number, number];

export function isShape(annotation: Annotation): annotation is Shape {
  return annotation.type !== "class" && annotation.type !== "segment";
}

export interface LabelAttribute {
  name: string;
  type: "text" | "number" | "choice" | "flag";
  choices?: string[] | null;
  default?: AttributeValue | null;
  required?: boolean;
}

export interface Skeleton {
  points: string[];
  edges: [number, number][];
  flips?: [number, number][];
}

export interface Label {
  number: number;
  name: string;
  parent?: number | null;
  colour: string;
  shortcut?: string | null;
  attributes?: LabelAttribute[];
  skeleton?: Skeleton | null;
}

export type ItemState = "unlabelled" | "labelled" | "suggested" | "rework" | "reviewed" | "aside";

export interface Item {
  seq: number;
  path: string;
  digest: string;
  media: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  duration: number | null;
  info: Record<string, unknown>;
  state: ItemState;
  revision: number | null;
  annotations_count: number;
  /** Only where they were asked for. */
  annotations?: Annotation[] | null;
  /** How unsure a model is of the item, and how strange the item is to it, 0 to 1; where it is known and was asked for. */
  uncertainty?: number | null;
  surprise?: number | null;
}
