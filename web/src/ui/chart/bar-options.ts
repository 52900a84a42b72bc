/** What ECharts is told for bars: a plain function of them and the theme. */
import type { EChartsCoreOption } from "echarts/core";
import type { ChartColours } from "@/theme/tokens";
import type { Bar } from "./Bars";

const NAME_PX = 140;

export function barOptions(bars: readonly Bar[], formatValue: (value: number) => string, colours: ChartColours): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: colours.font, color: colours.text },
    grid: { left: 8, right: 56, top: 4, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    xAxis: { type: "value", show: false, min: 0 },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map((bar) => bar.name),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { color: colours.text, fontSize: 12, width: NAME_PX, overflow: "truncate", interval: 0 },
    },
    tooltip: { show: false },
    series: [
      {
        type: "bar",
        barMaxWidth: 14,
        barMinHeight: 2,
        silent: true,
        itemStyle: { borderRadius: 3 },
        label: { show: true, position: "right", color: colours.text, fontSize: 12, formatter: ({ value }: { value: number }) => formatValue(value) },
        data: bars.map((bar) => ({ value: bar.value, itemStyle: { color: bar.colour ?? colours.curves[0] } })),
      },
    ],
  };
}
