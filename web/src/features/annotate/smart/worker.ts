/** The worker's side of `region-tool.ts`. */
import { grow, separate } from "./region";
import type { SmartRequest } from "./smart-tool";

interface Job {
  number: number;
  request: SmartRequest;
}

const scope = self as unknown as { onmessage: ((event: MessageEvent<Job>) => void) | null; postMessage(message: unknown): void };

scope.onmessage = ({ data: { number, request } }) => {
  const { image, area, scale, inside, outside, box, tolerance } = request;
  const local = ([x, y]: readonly [number, number]) => [(x - area.x) * scale, (y - area.y) * scale];
  const found = box
    ? separate(image, { x: (box.x - area.x) * scale, y: (box.y - area.y) * scale, w: box.w * scale, h: box.h * scale })
    : grow(image, inside.map(local), outside.map(local), tolerance);
  scope.postMessage({ number, found });
};
