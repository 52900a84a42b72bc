/** What the preprocessing form holds, and the steps that come of it, in their fixed order. */
import type { Steps } from "../types";

export interface StepValues {
  dropsBlurred: boolean;
  threshold: number | null;
  crops: boolean;
  /** Percent of the picture taken off each side. */
  crop: { left: number | null; top: number | null; right: number | null; bottom: number | null };
  degrees: 0 | 90 | 180 | 270;
  mirrorsHorizontally: boolean;
  mirrorsVertically: boolean;
  resizes: boolean;
  width: number | null;
  height: number | null;
  fit: "stretch" | "inside";
}

export const NO_STEPS: StepValues = {
  dropsBlurred: false,
  threshold: 50,
  crops: false,
  crop: { left: 10, top: 10, right: 10, bottom: 10 },
  degrees: 0,
  mirrorsHorizontally: false,
  mirrorsVertically: false,
  resizes: false,
  width: 640,
  height: 640,
  fit: "inside",
};

export function stepsOf(values: StepValues): Steps {
  const { crop } = values;
  const share = (percent: number | null) => (percent ?? 0) / 100;
  return {
    ...(values.dropsBlurred ? { drop_blurred: { threshold: values.threshold ?? 50 } } : {}),
    ...(values.crops
      ? {
          crop: {
            x: share(crop.left),
            y: share(crop.top),
            w: round(1 - share(crop.left) - share(crop.right)),
            h: round(1 - share(crop.top) - share(crop.bottom)),
            unit: "share" as const,
            keep: 0,
          },
        }
      : {}),
    ...(values.degrees === 0 ? {} : { rotate: { degrees: values.degrees } }),
    ...(values.mirrorsHorizontally || values.mirrorsVertically ? { mirror: { horizontal: values.mirrorsHorizontally, vertical: values.mirrorsVertically } } : {}),
    ...(values.resizes ? { resize: { width: values.width, height: values.height, fit: values.fit } } : {}),
  };
}

/** Which rule the steps break before the server is asked, or null. */
export function stepsProblem(values: StepValues): "nothing" | "crop" | "resize" | null {
  const { crop } = values;
  if (values.crops && ((crop.left ?? 0) + (crop.right ?? 0) >= 100 || (crop.top ?? 0) + (crop.bottom ?? 0) >= 100)) return "crop";
  if (values.resizes && values.width === null && values.height === null) return "resize";
  return Object.keys(stepsOf(values)).length === 0 ? "nothing" : null;
}

/** Without the dust of binary fractions: 1 − 0.1 − 0.1 is 0.8. */
function round(share: number): number {
  return Math.round(share * 1e6) / 1e6;
}
