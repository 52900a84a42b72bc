/** Numbers, dates and sizes as the user's language writes them. */
import { useMemo } from "react";
import { JUST_NOW, useLanguage } from "@/i18n";
import type { Language } from "@/i18n";

export interface Formats {
  number(value: number): string;
  /** With at most so many digits after the point. */
  decimal(value: number, digits: number): string;
  /** Any size of number in few digits: a loss, a learning rate. */
  compact(value: number): string;
  percent(share: number): string;
  bytes(value: number): string;
  dateTime(iso: string): string;
  date(iso: string): string;
  relative(iso: string, now?: number): string;
  duration(seconds: number): string;
  list(items: string[]): string;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function makeFormats(language: Language): Formats {
  const whole = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  return {
    number: (value) => whole.format(value),
    decimal: (value, digits) => new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value),
    compact: (value) => formatCompact(value, language),
    percent: (share) => percent.format(share),
    bytes: (value) => formatBytes(value, language),
    dateTime: (iso) => dateTime.format(new Date(iso)),
    date: (iso) => date.format(new Date(iso)),
    relative: (iso, now = Date.now()) => formatRelative(relative, (new Date(iso).getTime() - now) / 1000) ?? JUST_NOW[language],
    duration: (seconds) => formatDuration(seconds, language),
    list: (items) => list.format(items),
  };
}

export function useFormat(): Formats {
  const language = useLanguage();
  return useMemo(() => makeFormats(language), [language]);
}

function formatCompact(value: number, language: Language): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2);
  return new Intl.NumberFormat(language, { maximumSignificantDigits: 5 }).format(value);
}

function formatBytes(value: number, language: Language): string {
  let unit = 0;
  let amount = value;
  while (Math.abs(amount) >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(amount) >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(amount)} ${BYTE_UNITS[unit]}`;
}

function formatRelative(format: Intl.RelativeTimeFormat, seconds: number): string | null {
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return null;
}

function formatDuration(seconds: number, language: Language): string {
  const unit = (value: number, name: "day" | "hour" | "minute" | "second") =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short" }).format(value);
  const parts: [number, "day" | "hour" | "minute" | "second"][] = [
    [Math.floor(seconds / 86_400), "day"],
    [Math.floor((seconds % 86_400) / 3_600), "hour"],
    [Math.floor((seconds % 3_600) / 60), "minute"],
    [Math.floor(seconds % 60), "second"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return unit(0, "second");
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, name]) => unit(value, name))
    .join(" ");
}
