/** Runs as lines across axes: which axes, and where each run is on them. */
import { byInterest } from "@/features/training/metric-order";
import type { ParallelAxis, ParallelLine } from "@/ui/chart/types";
import type { Keys, TrackedRun } from "./types";

const AXES_AT_FIRST = 6;

/** `params.lr` and `metrics.acc`: an axis's name in the address. */
export function axisKeys(keys: Keys): string[] {
  return [...keys.parameters.map((key) => `params.${key}`), ...keys.metrics.map((key) => `metrics.${key}`)];
}

/** Parameters that differ between runs, then the first metrics: what one looks for. */
export function firstAxes(keys: Keys, runs: TrackedRun[]): string[] {
  const differing = keys.parameters.filter((key) => new Set(runs.map((run) => run.parameters[key])).size > 1);
  const chosen = (differing.length > 0 ? differing : keys.parameters).slice(0, AXES_AT_FIRST - 2);
  return [...chosen.map((key) => `params.${key}`), ...byInterest(keys.metrics).slice(0, 2).map((key) => `metrics.${key}`)];
}

export function valueOf(run: TrackedRun, axis: string): string | number | null {
  const key = axis.slice(axis.indexOf(".") + 1);
  if (axis.startsWith("metrics.")) return run.metrics[key] ?? null;
  const text = run.parameters[key];
  if (text === undefined) return null;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

/** An axis is of numbers when all its values are; otherwise it lists the words there are, in order. */
export function axesOf(runs: TrackedRun[], chosen: string[]): ParallelAxis[] {
  return chosen.map((axis) => {
    const values = runs.map((run) => valueOf(run, axis)).filter((value) => value !== null);
    const isNumber = values.every((value) => typeof value === "number");
    const words = isNumber ? null : [...new Set(values.map(String))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    return { key: axis, name: axis.slice(axis.indexOf(".") + 1), words };
  });
}

export function linesOf(runs: TrackedRun[], axes: ParallelAxis[], colour: string | null): ParallelLine[] {
  return runs.map((run) => {
    const shade = colour === null ? null : valueOf(run, colour);
    return {
      key: run.id,
      name: run.name,
      values: axes.map((axis) => {
        const value = valueOf(run, axis.key);
        return value !== null && axis.words ? String(value) : value;
      }),
      shade: typeof shade === "number" ? shade : null,
    };
  });
}
