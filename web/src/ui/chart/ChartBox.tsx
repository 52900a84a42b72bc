import { useEffect, useImperativeHandle, useRef } from "react";
import type { Ref } from "react";
import { useReducedMotion, useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";
import { connect, init } from "./engine";
import type { EChartsType } from "./engine";
import { chartOptions } from "./options";
import type { ChartProps } from "./types";

export interface ChartHandle {
  picture: () => string;
  reset: () => void;
}

/** The drawing itself. Use `Chart`, which loads it when it is first needed. */
export default function ChartBox({ handle, ...props }: ChartProps & { handle: Ref<ChartHandle> }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const mode = useThemeMode();
  const isStill = useReducedMotion();
  const { group, height = 200, label } = props;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = init(element, null, { renderer: "canvas" });
    chart.current = made;
    if (group) {
      made.group = group;
      connect(group);
    }
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, [group]);

  useEffect(() => {
    chart.current?.setOption(chartOptions(props, chartColours(mode), isStill), { replaceMerge: ["series"], lazyUpdate: true });
    chart.current?.dispatchAction({ type: "takeGlobalCursor", key: "dataZoomSelect", dataZoomSelectActive: true });
  });

  useImperativeHandle(handle, () => ({
    picture: () => chart.current?.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: chartColours(mode).surface }) ?? "",
    reset: () => chart.current?.dispatchAction({ type: "dataZoom", start: 0, end: 100 }),
  }));
  return <div ref={host} role="img" aria-label={label} style={{ height }} />;
}
