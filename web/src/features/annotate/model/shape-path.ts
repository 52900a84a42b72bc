/** A shape as an SVG path in pixels of its picture, for small pictures where outlines are enough. */
import { boundsOf, corners } from "./geometry";
import { maskExtent } from "./rle";
import { bonesOf, isThere } from "./skeleton";
import type { Edges } from "./skeleton";
import type { Keypoint, Shape } from "./types";

export function shapePath(shape: Shape, skeleton?: { edges?: Edges } | null): string {
  switch (shape.type) {
    case "box":
      return `${line(corners(shape).flat())}Z`;
    case "polygon":
      return shape.rings.map((ring) => `${line(ring)}Z`).join("");
    case "polyline":
      return line(shape.points);
    case "keypoints":
      return [bonesPath(shape.points, skeleton?.edges), ...shape.points.filter(isThere).map(([x, y]) => dot(x, y))].join("");
    case "point":
      return dot(shape.x, shape.y);
    case "circle":
      return `M${shape.x - shape.r} ${shape.y}a${shape.r} ${shape.r} 0 1 0 ${2 * shape.r} 0a${shape.r} ${shape.r} 0 1 0 ${-2 * shape.r} 0`;
    case "mask": {
      const { x, y, w, h } = boundsOf(shape, () => maskExtent(shape));
      return `M${x} ${y}h${w}v${h}h${-w}Z`;
    }
  }
}

/** The lines of a skeleton alone. */
export function bonesPath(points: readonly Keypoint[], edges: Edges | undefined): string {
  return bonesOf(points, edges).map(([a, b]) => `M${a[0]} ${a[1]}L${b[0]} ${b[1]}`).join("");
}

function line(flat: readonly number[]): string {
  return `M${flat.join(" ")}`;
}

/** A line of no length with round ends is a dot. */
function dot(x: number, y: number): string {
  return `M${x} ${y}h0.01`;
}
