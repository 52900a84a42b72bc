/** What runs are compared by, one row each: how they went, their last values, their parameters and settings. */
import type { RunView, TaskSettings } from "./types";

export interface CompareRow {
  group: "setting" | "metric" | "parameter";
  key: string;
  values: string[];
  isDifferent: boolean;
}

const SETTINGS = ["algorithm", "models", "image", "spec", "nodes", "launcher", "command"] as const satisfies readonly (keyof TaskSettings)[];

export function settingRows(runs: RunView[], formatMetric: (value: number) => string): CompareRow[] {
  const metrics = keysOf(runs.map((run) => run.metrics));
  const parameters = keysOf(runs.map((run) => run.parameters));
  return [
    { group: "setting", key: "state", values: runs.map((run) => run.state), isDifferent: true },
    { group: "setting", key: "duration", values: [], isDifferent: true },
    row("setting", "model", runs.map((run) => run.model ?? "–"), true),
    ...metrics.map((key) => row("metric", key, runs.map((run) => metric(run.metrics[key])), true)),
    ...parameters.map((key) => row("parameter", key, runs.map((run) => run.parameters[key] ?? "–"))),
    ...SETTINGS.map((key) => row("setting", key, runs.map((run) => text(run.settings?.[key] ?? null)))),
  ];

  function metric(value: number | null | undefined): string {
    return value === null || value === undefined ? "–" : formatMetric(value);
  }
}

function row(group: CompareRow["group"], key: string, values: string[], isAlways = false): CompareRow {
  return { group, key, values, isDifferent: isAlways || new Set(values).size > 1 };
}

function keysOf(records: Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].sort((a, b) => a.localeCompare(b));
}

function text(value: string | number | string[] | null): string {
  if (value === null) return "–";
  return Array.isArray(value) ? value.join(", ") || "–" : String(value);
}
