import { ParallelChart } from "echarts/charts";
import { ParallelComponent, VisualMapComponent } from "echarts/components";
import { use as register } from "echarts/core";
import { useEffect, useImperativeHandle, useRef } from "react";
import type { Ref } from "react";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";
import type { BarsHandle } from "./BarsBox";
import { init } from "./engine";
import type { EChartsType } from "./engine";
import { parallelOptions } from "./parallel-options";
import type { ParallelProps } from "./types";

register([ParallelChart, ParallelComponent, VisualMapComponent]);

/** The drawing itself. Use `Parallel`, which loads it when it is first needed. */
export default function ParallelBox({ handle, height = 420, onOpen, ...props }: ParallelProps & { handle: Ref<BarsHandle> }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const open = useRef(onOpen);
  const keys = useRef<string[]>([]);
  const mode = useThemeMode();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = init(element, null, { renderer: "canvas" });
    chart.current = made;
    made.on("click", ({ dataIndex }) => {
      const key = keys.current[dataIndex];
      if (key !== undefined) open.current?.(key);
    });
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    open.current = onOpen;
    keys.current = props.lines.map((line) => line.key);
    chart.current?.setOption(parallelOptions(props, chartColours(mode)), { notMerge: true });
  });

  useImperativeHandle(handle, () => ({
    picture: () => chart.current?.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: chartColours(mode).surface }) ?? "",
  }));
  return <div ref={host} role="img" aria-label={`${props.label}: ${props.axes.map((axis) => axis.name).join(", ")}`} style={{ height }} />;
}
