/** A curve smoothed as TensorBoard does it: an exponential mean that does not lag at the beginning. */
import type { ChartPoint } from "@/ui/chart/types";

export function smoothed(points: ChartPoint[], weight: number): ChartPoint[] {
  if (weight <= 0) return points;
  let mean = 0;
  let seen = 0;
  return points.map(([x, y]) => {
    if (y === null) return [x, null];
    seen += 1;
    mean = mean * weight + (1 - weight) * y;
    return [x, mean / (1 - weight ** seen)];
  });
}
