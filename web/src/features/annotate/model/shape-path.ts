/** A shape as an SVG path in pixels of its picture, for small pictures where outlines are enough. */
import { boundsOf, corners } from "./geometry";
import { maskExtent } from "./rle";
import type { Keypoint, Shape } from "./types";

export function shapePath(shape: Shape, skeleton?: { edges?: readonly (readonly number[])[] } | null): string {
  switch (shape.type) {
    case "box":
      return `${line(corners(shape).flat())}Z`;
    case "polygon":
      return shape.rings.map((ring) => `${line(ring)}Z`).join("");
    case "polyline":
      return line(shape.points);
    case "keypoints":
      return [...bones(shape.points, skeleton?.edges ?? []), ...shape.points.filter(isThere).map(([x, y]) => dot(x, y))].join("");
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

function line(flat: readonly number[]): string {
  return `M${flat.join(" ")}`;
}

/** A line of no length with round ends is a dot. */
function dot(x: number, y: number): string {
  return `M${x} ${y}h0.01`;
}

function isThere([, , visible]: Keypoint): boolean {
  return visible > 0;
}

function bones(points: readonly Keypoint[], edges: readonly (readonly number[])[]): string[] {
  return edges.flatMap(([from = -1, to = -1]) => {
    const [a, b] = [points[from], points[to]];
    return a && b && isThere(a) && isThere(b) ? [`M${a[0]} ${a[1]}L${b[0]} ${b[1]}`] : [];
  });
}
