/** What ECharts is told for parallel coordinates: a plain function of axes, lines and the theme. */
import type { EChartsCoreOption } from "echarts/core";
import type { ChartColours } from "@/theme/tokens";
import type { ParallelProps } from "./types";

const FAINT = 0.55;

export function parallelOptions({ axes, lines, shadeName, formatValue }: Omit<ParallelProps, "onOpen" | "height">, colours: ChartColours): EChartsCoreOption {
  const shades = lines.flatMap((line) => (line.shade === null ? [] : [line.shade]));
  const low = Math.min(...shades);
  const high = Math.max(...shades);
  const hasShades = shades.length > 0;
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: colours.font, color: colours.text },
    parallel: { left: 48, right: hasShades ? 120 : 64, top: 44, bottom: 24, parallelAxisDefault: axisLook(colours) },
    parallelAxis: axes.map((axis, dim) => ({
      dim,
      name: axis.name,
      ...(axis.words ? { type: "category", data: axis.words } : { type: "value", scale: true, axisLabel: { color: colours.text, formatter: formatValue } }),
    })),
    visualMap: hasShades
      ? { type: "continuous", min: low, max: high === low ? low + 1 : high, dimension: axes.length, right: 0, top: "middle", text: [shadeName, ""], precision: 4, calculable: false, inRange: { color: [colours.curves[1], colours.curves[0]] }, textStyle: { color: colours.text }, formatter: formatValue }
      : undefined,
    tooltip: { trigger: "item", backgroundColor: colours.raised, borderColor: colours.line, textStyle: { color: colours.text }, formatter: ({ name }: { name: string }) => escaped(name) },
    series: [
      {
        type: "parallel",
        smooth: false,
        lineStyle: { width: 1.5, opacity: FAINT, color: colours.curves[0] },
        emphasis: { lineStyle: { width: 3, opacity: 1 } },
        inactiveOpacity: 0.04,
        activeOpacity: 0.9,
        data: lines.map((line) => ({ name: line.name, value: [...line.values.map((value) => value ?? "-"), line.shade ?? "-"] })),
      },
    ],
  };
}

function axisLook(colours: ChartColours) {
  return {
    nameLocation: "end",
    nameGap: 16,
    nameTextStyle: { color: colours.text, fontSize: 12 },
    nameTruncate: { maxWidth: 120, ellipsis: "…" },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    axisLabel: { color: colours.text, fontSize: 11 },
    areaSelectStyle: { borderColor: colours.curves[0], color: colours.curves[0], opacity: 0.2 },
  };
}

/** Names come from whoever logs: they are text, not part of the page. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
