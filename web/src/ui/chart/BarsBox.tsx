import { useEffect, useImperativeHandle, useRef } from "react";
import type { Ref } from "react";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";
import type { Bar } from "./Bars";
import { barOptions } from "./bar-options";
import { init } from "./engine";
import type { EChartsType } from "./engine";

export interface BarsHandle {
  picture: () => string;
}

interface BarsBoxProps {
  label: string;
  bars: Bar[];
  formatValue: (value: number) => string;
  height: number;
  handle: Ref<BarsHandle>;
}

/** The drawing itself. Use `Bars`, which loads it when it is first needed. */
export default function BarsBox({ label, bars, formatValue, height, handle }: BarsBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const mode = useThemeMode();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = init(element, null, { renderer: "canvas" });
    chart.current = made;
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    chart.current?.setOption(barOptions(bars, formatValue, chartColours(mode)), { notMerge: true });
  });

  useImperativeHandle(handle, () => ({
    picture: () => chart.current?.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: chartColours(mode).surface }) ?? "",
  }));
  const said = bars.map((bar) => `${bar.name} ${formatValue(bar.value)}`).join(", ");
  return <div ref={host} role="img" aria-label={`${label}: ${said}`} style={{ height }} />;
}
