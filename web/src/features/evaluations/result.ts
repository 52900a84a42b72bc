/** What an evaluation measured. The file was written by a program in a workload, so nothing of it is taken on trust. */
import type { Annotation } from "@/features/annotate/model/types";

/** Annotations of evaluations call their labels by name; a table's number is a value. */
type Named<A> = A extends unknown ? Omit<A, "label" | "id"> & { label?: string; value?: number } : never;
export type NamedAnnotation = Named<Annotation>;

export interface ClassRow {
  label: string;
  support: number | null;
  /** Precision, recall and whatever else the task has. */
  values: Record<string, number>;
}

export interface Confusion {
  labels: string[];
  /** Rows are what is true, columns what was predicted. */
  counts: number[][];
}

/** Recall, precision, threshold. */
export type CurvePoint = [number, number, number];

export interface Curve {
  label: string;
  points: CurvePoint[];
}

export interface ThresholdRow {
  threshold: number;
  precision: number;
  recall: number;
  f1: number;
}

export interface Example {
  seq: number;
  path: string;
  /** 0 to 1. */
  badness: number;
  why: string;
  truth: NamedAnnotation[];
  predicted: NamedAnnotation[];
}

export interface Result {
  classes: ClassRow[];
  confusion: Confusion | null;
  curves: Curve[];
  thresholds: ThresholdRow[];
  worst: Example[];
}

export function readResult(raw: unknown): Result {
  const found = record(raw);
  return {
    classes: list(found.classes).map(classRow).filter((row) => row !== null),
    confusion: confusion(found.confusion),
    curves: readCurves(record(found.curves).pr),
    thresholds: list(found.thresholds).map(thresholdRow).filter((row) => row !== null),
    worst: list(found.worst).map(example).filter((one) => one !== null),
  };
}

export function readCurves(raw: unknown): Curve[] {
  return list(raw).flatMap((one) => {
    const { label, points } = record(one);
    const known = list(points).filter((point): point is CurvePoint => Array.isArray(point) && point.length >= 2 && point.slice(0, 2).every(isNumber));
    return typeof label === "string" ? [{ label, points: known }] : [];
  });
}

export function numbersOf(raw: unknown): Record<string, number> {
  return Object.fromEntries(Object.entries(record(raw)).filter((entry): entry is [string, number] => isNumber(entry[1])));
}

function classRow(raw: unknown): ClassRow | null {
  const { label, support, ...rest } = record(raw);
  if (typeof label !== "string") return null;
  return { label, support: isNumber(support) ? support : null, values: numbersOf(rest) };
}

function confusion(raw: unknown): Confusion | null {
  const { labels, counts } = record(raw);
  const names = list(labels).filter((label) => typeof label === "string");
  const rows = list(counts).map((row) => list(row).filter(isNumber));
  const isSquare = names.length > 0 && rows.length === names.length && rows.every((row) => row.length === names.length);
  return isSquare ? { labels: names, counts: rows } : null;
}

function thresholdRow(raw: unknown): ThresholdRow | null {
  const { threshold, precision, recall, f1 } = record(raw);
  return isNumber(threshold) && isNumber(precision) && isNumber(recall) && isNumber(f1) ? { threshold, precision, recall, f1 } : null;
}

function example(raw: unknown): Example | null {
  const { seq, path, badness, why, truth, predicted, true_value: trueValue, value } = record(raw);
  if (!isNumber(seq)) return null;
  return {
    seq,
    path: typeof path === "string" ? path : "",
    badness: isNumber(badness) ? badness : 0,
    why: typeof why === "string" ? why : "",
    truth: [...annotations(truth), ...numbers(trueValue)],
    predicted: [...annotations(predicted), ...numbers(value)],
  };
}

function annotations(raw: unknown): NamedAnnotation[] {
  return list(raw).filter((one): one is NamedAnnotation => typeof record(one).type === "string");
}

/** Where a number is predicted, there is no class to show. */
function numbers(value: unknown): NamedAnnotation[] {
  return isNumber(value) ? [{ type: "class", value }] : [];
}

function record(raw: unknown): Record<string, unknown> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : {};
}

function list(raw: unknown): unknown[] {
  return Array.isArray(raw) ? raw : [];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
