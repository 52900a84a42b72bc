/** The curves of a chart as a table: one row for each place on the x-axis, one column a curve. */
import type { Bar } from "./Bars";
import type { ChartSeries } from "./types";

export function chartCsv(series: ChartSeries[], x: "time" | "number", xName: string): string {
  const shown = series.filter((one) => !one.isFaint);
  const values = shown.map((one) => new Map(one.points));
  const places = [...new Set(shown.flatMap((one) => one.points.map(([place]) => place)))].sort((a, b) => a - b);
  const rows = places.map((place) => [x === "time" ? new Date(place).toISOString() : String(place), ...values.map((curve) => String(curve.get(place) ?? ""))]);
  return [[xName, ...shown.map((one) => one.name)], ...rows].map((row) => row.map(field).join(",")).join("\n");
}

export function barsCsv(bars: readonly Bar[]): string {
  return bars.map((bar) => [bar.name, String(bar.value)].map(field).join(",")).join("\n");
}

/** Names come from programs: a spreadsheet must not take one for a formula. */
function field(text: string): string {
  const plain = /^[=+@]/.test(text) || (/^-/.test(text) && Number.isNaN(Number(text))) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
