/** The parts of ECharts we draw with; imported only by the chart, so that they load with the first one. */
import { BarChart, LineChart } from "echarts/charts";
import { DataZoomComponent, GridComponent, MarkLineComponent, ToolboxComponent, TooltipComponent } from "echarts/components";
import { connect, init, use as register } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

register([BarChart, LineChart, GridComponent, TooltipComponent, MarkLineComponent, DataZoomComponent, ToolboxComponent, CanvasRenderer]);

export { connect, init };
export type { EChartsType } from "echarts/core";
