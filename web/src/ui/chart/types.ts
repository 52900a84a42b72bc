/** A curve is a list of points; `null` is a gap and is shown as one. */
export type ChartPoint = [x: number, y: number | null];

export interface ChartSeries {
  key: string;
  name: string;
  points: ChartPoint[];
  /** Which of the theme's colours; the series' place when left out. */
  colour?: number;
  /** Behind the others and pale: what a smoothed curve was made from. */
  isFaint?: boolean;
  isDashed?: boolean;
  /** Every point is seen: they are few, and each was measured on its own. */
  hasDots?: boolean;
}

export interface ChartProps {
  label: string;
  series: ChartSeries[];
  /** `time`: milliseconds since 1970. */
  x: "time" | "number";
  height?: number;
  /** A line across, such as what the workload may use at most; given, even as null, the axis begins at zero. */
  limit?: { value: number; label: string } | null;
  formatValue: (value: number) => string;
  /** Sizes in bytes get marks at 1024, not at 1000. */
  unit?: "bytes";
  formatX?: (x: number) => string;
  /** From where to where, whatever the points are; from the first to the last point when left out. */
  xRange?: readonly [number, number];
  /** A line down at one place, such as the value that was chosen. */
  mark?: { x: number; label: string };
  isLog?: boolean;
  /** The least the value axis goes up to, so that a quiet curve does not fill the chart with noise. */
  atLeast?: number;
  /** Charts of one group move their cursors and their zoom together. */
  group?: string;
}

/** An axis of parallel coordinates: of numbers, or of the words it lists. */
export interface ParallelAxis {
  key: string;
  name: string;
  words: string[] | null;
}

/** A thing as a line across the axes; without a shade it has the theme's first colour. */
export interface ParallelLine {
  key: string;
  name: string;
  values: (string | number | null)[];
  shade: number | null;
}

export interface ParallelProps {
  label: string;
  axes: ParallelAxis[];
  lines: ParallelLine[];
  shadeName: string;
  formatValue: (value: number) => string;
  height?: number;
  onOpen?: (key: string) => void;
}
