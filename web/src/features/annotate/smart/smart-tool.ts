/**
 * Helpers that find the outline of a thing. The ones here work on the picture alone; ones that ask a model implement the
 * same interface and are offered beside them.
 */
import type { Rect } from "../model/geometry";
import type { MaskWindow } from "../model/rle";
import type { Point } from "../model/types";

export interface SmartRequest {
  /** The part of the picture to look at, perhaps made smaller. */
  image: ImageData;
  /** Where that part lies in the picture. */
  area: Rect;
  /** Pixels of `image` a pixel of the picture. */
  scale: number;
  /** On the thing. */
  inside: Point[];
  /** Not on the thing. */
  outside: Point[];
  /** Around the thing, when one was drawn. */
  box: Rect | null;
  /** 0 strict to 1 generous. */
  tolerance: number;
}

export interface SmartTool {
  readonly id: string;
  /** What it can be given. */
  readonly takes: { points: boolean; box: boolean };
  /**
   * The pixels of the thing, of the size of `image`; null when nothing was found. May be called again before it has answered:
   * only the latest answer is used. Rejects when it cannot work at all.
   */
  segment(request: SmartRequest): Promise<MaskWindow | null>;
}
