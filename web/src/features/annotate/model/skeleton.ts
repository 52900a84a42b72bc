/** Keypoints as their label's skeleton joins them. */
import type { Keypoint } from "./types";

/** Pairs of places in the list of points. */
export type Edges = readonly (readonly number[])[];

/** Whether the point is there, hidden or not. */
export function isThere([, , visible]: Keypoint): boolean {
  return visible > 0;
}

/** The lines between points that are there; pairs that name no point are none. */
export function bonesOf(points: readonly Keypoint[], edges: Edges | undefined): [Keypoint, Keypoint][] {
  return (edges ?? []).flatMap(([from = -1, to = -1]): [Keypoint, Keypoint][] => {
    const [a, b] = [points[from], points[to]];
    return a && b && isThere(a) && isThere(b) ? [[a, b]] : [];
  });
}
