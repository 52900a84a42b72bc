/** What ECharts is told for a chart: a plain function of the chart's properties and the theme. */
import type { EChartsCoreOption } from "echarts/core";
import type { ChartColours } from "@/theme/tokens";
import type { ChartPoint, ChartProps, ChartSeries } from "./types";

const WIDTH = 1.75;
const FAINT = 0.28;
/** A curve of few points shows them, or a single one would not be seen at all. */
const FEW = 2;
const DOT_PX = 6;
const SHORT_MS = 60_000;

export function chartOptions(props: ChartProps, colours: ChartColours, isStill: boolean): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: colours.font, color: colours.text },
    grid: { left: 8, right: 16, top: 16, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    tooltip: tooltip(props, colours, isStill),
    axisPointer: { lineStyle: { color: colours.text } },
    xAxis: xAxis(props, colours),
    yAxis: yAxis(props, colours),
    dataZoom: [{ type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseMove: false, moveOnMouseWheel: false, filterMode: filterOf(props) }],
    // The toolbox itself is out of sight; it is what makes dragging over the chart zoom into that part.
    toolbox: { show: true, itemSize: 0, top: -100, feature: { dataZoom: { yAxisIndex: "none", filterMode: filterOf(props) } } },
    series: props.series.map((series, index) => line(props, series, index, colours)),
  };
}

/** Zoomed in, an axis that need not begin at zero follows what is in sight. */
function filterOf({ limit }: ChartProps): "filter" | "none" {
  return limit === undefined ? "filter" : "none";
}

function tooltip({ formatValue, series }: ChartProps, colours: ChartColours, isStill: boolean) {
  return {
    trigger: "axis",
    confine: true,
    transitionDuration: isStill ? 0 : 0.1,
    order: series.length > 3 ? "valueDesc" : "seriesAsc",
    backgroundColor: colours.raised,
    borderColor: colours.line,
    textStyle: { color: colours.text, fontSize: 12 },
    valueFormatter: (value: unknown) => (typeof value === "number" ? formatValue(value) : "–"),
  };
}

function xAxis({ x, formatX, xRange, series }: ChartProps, colours: ChartColours) {
  const shown = xRange ?? (x === "time" ? shortTime(series) : null);
  return {
    type: x === "time" ? "time" : "value",
    min: shown?.[0] ?? "dataMin",
    max: shown?.[1] ?? "dataMax",
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { color: colours.text, fontSize: 11, hideOverlap: true, ...(x === "number" && formatX ? { formatter: formatX } : {}) },
    axisPointer: formatX ? { label: { formatter: ({ value }: { value: unknown }) => formatX(Number(value)) } } : {},
  };
}

/** A moment gets a minute around it: left to itself the axis would show days. Null where there is time enough. */
function shortTime(series: readonly ChartSeries[]): readonly [number, number] | null {
  const places = series.flatMap((one) => one.points.map(([place]) => place));
  const [first, last] = [places.reduce((a, b) => Math.min(a, b), Infinity), places.reduce((a, b) => Math.max(a, b), -Infinity)];
  if (places.length === 0 || last - first >= SHORT_MS) return null;
  const middle = (first + last) / 2;
  return [middle - SHORT_MS / 2, middle + SHORT_MS / 2];
}

function yAxis(props: ChartProps, colours: ChartColours) {
  return {
    type: props.isLog ? "log" : "value",
    ...range(props),
    axisLabel: { color: colours.text, fontSize: 11, hideOverlap: true, formatter: props.formatValue },
    splitLine: { lineStyle: { color: colours.line } },
  };
}

function range({ isLog, limit, atLeast = 0, series, unit }: ChartProps) {
  if (isLog) return {};
  const values = series.flatMap((one) => one.points.flatMap(([, y]) => (y === null ? [] : [y])));
  const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (limit === undefined) return { scale: true, splitNumber: 4, ...flat(values, highest) };
  // Where all is zero the axis goes to one: marks of nothing would have no words.
  const top = Math.max(highest, atLeast, limit?.value ?? 0) || 1;
  const step = stepOf(top / MARKS, unit);
  return { min: 0, max: Math.ceil(top / step) * step, interval: step };
}

/** A curve that does not move gets some room around it; otherwise the last digits of rounding would fill the chart. */
function flat(values: number[], highest: number) {
  const lowest = values.reduce((least, value) => Math.min(least, value), Infinity);
  const room = Math.abs(highest) * 0.1 || 1;
  return highest - lowest < Math.abs(highest) * 1e-9 ? { min: lowest - room, max: highest + room, interval: room } : {};
}

const MARKS = 4;

/** The next round number: 1, 2, 2.5, 5, 10 …, or a power of two of bytes. */
export function stepOf(least: number, unit?: "bytes"): number {
  if (unit === "bytes") return 2 ** Math.max(0, Math.ceil(Math.log2(least)));
  const size = 10 ** Math.floor(Math.log10(least));
  return size * ([1, 2, 2.5, 5].find((factor) => factor * size >= least * (1 - 1e-9)) ?? 10);
}

function line(props: ChartProps, series: ChartSeries, index: number, colours: ChartColours) {
  const colour = colours.curves[(series.colour ?? index) % colours.curves.length];
  const points = props.isLog ? series.points.map(positive) : series.points;
  const hasDots = series.hasDots === true || points.length <= FEW;
  const lone = hasDots ? new Set<number>() : lonePoints(points);
  return {
    id: series.key,
    name: series.name,
    type: "line",
    data: points,
    showSymbol: hasDots || lone.size > 0,
    showAllSymbol: lone.size > 0 ? true : "auto",
    symbolSize: lone.size > 0 ? (_: unknown, { dataIndex }: { dataIndex: number }) => (lone.has(dataIndex) ? DOT_PX : 0) : DOT_PX,
    connectNulls: false,
    color: colour,
    silent: series.isFaint,
    z: series.isFaint ? 1 : 2,
    tooltip: series.isFaint ? { show: false } : undefined,
    lineStyle: { width: WIDTH, opacity: series.isFaint ? FAINT : 1, type: series.isDashed ? "dashed" : "solid" },
    emphasis: { disabled: true },
    markLine: index === 0 ? lines(props, colours) : undefined,
  };
}

/** Places of points with a gap on both sides: no line leads to them, so that they would not be seen. */
export function lonePoints(points: readonly ChartPoint[]): Set<number> {
  const isGap = (at: number) => (points[at]?.[1] ?? null) === null;
  return new Set(points.flatMap((_, at) => (!isGap(at) && isGap(at - 1) && isGap(at + 1) ? [at] : [])));
}

/** The limit across and the mark down, where the chart has them. */
function lines({ limit, mark }: ChartProps, colours: ChartColours) {
  const data = [
    ...(limit ? [{ yAxis: limit.value, lineStyle: { color: colours.limit }, label: { formatter: limit.label, position: "insideEndBottom", color: colours.limit, fontSize: 11 } }] : []),
    ...(mark ? [{ xAxis: mark.x, lineStyle: { color: colours.text }, label: { formatter: mark.label, position: "insideEndTop", color: colours.text, fontSize: 11 } }] : []),
  ];
  return data.length === 0 ? undefined : { silent: true, symbol: "none", animation: false, lineStyle: { type: "dashed", width: 1 }, data };
}

/** A logarithm has no place for zero and below: a gap there, rather than a wrong point. */
function positive([x, y]: ChartPoint): ChartPoint {
  return [x, y !== null && y > 0 ? y : null];
}
