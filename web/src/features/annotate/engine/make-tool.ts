import type { ToolName } from "../model/kinds";
import type { SmartTool } from "../smart/smart-tool";
import { BrushTool } from "./tools/brush";
import { BoxTool, CircleTool, PointTool, RingTool, TurnedBoxTool } from "./tools/draw-tools";
import { KeypointsTool } from "./tools/keypoints";
import { SelectTool } from "./tools/select";
import { SmartPointTool } from "./tools/smart";
import type { SmartShape } from "./tools/smart";
import type { Bench, Tool } from "./tools/tool";

export interface ToolParts {
  bench: Bench;
  helper: SmartTool;
  smartShape: () => SmartShape;
  onFailed: (error: unknown) => void;
}

const MAKERS: Record<ToolName, (parts: ToolParts) => Tool> = {
  select: ({ bench }) => new SelectTool(bench),
  box: ({ bench }) => new BoxTool(bench),
  turned: ({ bench }) => new TurnedBoxTool(bench),
  polygon: ({ bench }) => new RingTool(bench, true),
  polyline: ({ bench }) => new RingTool(bench, false),
  point: ({ bench }) => new PointTool(bench),
  circle: ({ bench }) => new CircleTool(bench),
  brush: ({ bench }) => new BrushTool(bench, false),
  eraser: ({ bench }) => new BrushTool(bench, true),
  keypoints: ({ bench }) => new KeypointsTool(bench),
  smart: ({ bench, helper, smartShape, onFailed }) => new SmartPointTool(bench, helper, smartShape, onFailed),
};

export function makeTool(name: ToolName, parts: ToolParts): Tool {
  return MAKERS[name](parts);
}
