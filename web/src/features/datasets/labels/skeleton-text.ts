/** Skeletons as people write them: one point a line, and pairs of points by their numbers, `1-2 2-3`. */
import type { Skeleton } from "../types";

export function parsePoints(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Undefined when it cannot be read or names a point that is not there. */
export function parsePairs(text: string, points: number): [number, number][] | undefined {
  const words = text.split(/[\s,;，；]+/).filter((word) => word !== "");
  const pairs = words.map((word): [number, number] | undefined => {
    const match = /^(\d+)-(\d+)$/.exec(word);
    if (!match) return undefined;
    const [a, b] = [Number(match[1]), Number(match[2])];
    return a >= 1 && b >= 1 && a <= points && b <= points && a !== b ? [a - 1, b - 1] : undefined;
  });
  return pairs.includes(undefined) ? undefined : (pairs as [number, number][]);
}

export function pairsText(pairs: readonly (readonly number[])[] | undefined): string {
  return (pairs ?? []).map(([a = 0, b = 0]) => `${a + 1}-${b + 1}`).join(" ");
}

export interface SkeletonText {
  points: string;
  edges: string;
  flips: string;
}

export function skeletonText(skeleton: Skeleton | null): SkeletonText {
  return { points: skeleton?.points.join("\n") ?? "", edges: pairsText(skeleton?.edges), flips: pairsText(skeleton?.flips) };
}

export function skeletonOf({ points, edges, flips }: SkeletonText): Skeleton | null {
  const names = parsePoints(points);
  if (names.length === 0) return null;
  return { points: names, edges: parsePairs(edges, names.length) ?? [], flips: parsePairs(flips, names.length) ?? [] };
}
