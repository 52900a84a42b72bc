/** A round glass beside the pointer: the picture and its shapes four times as large, with a cross on the spot. */
import type { Point } from "../model/types";
import type { Canvas2D } from "./draw";
import type { Bench } from "./tools/tool";

const RADIUS_PX = 80;
const POWER = 4;

export function drawMagnifier(g: Canvas2D, bench: Bench, at: { raw: Point; screen: Point }, shapes: (g: Canvas2D) => void): void {
  const { view, unit, picture } = bench;
  const radius = RADIUS_PX * unit;
  // Away from the pointer, towards the side where there is room.
  const dx = at.screen[0] > view.width - 2.6 * RADIUS_PX ? -1 : 1;
  const dy = at.screen[1] < 2.6 * RADIUS_PX ? 1 : -1;
  const centre: Point = [at.raw[0] + dx * 1.3 * radius, at.raw[1] + dy * 1.3 * radius];
  g.save();
  g.setLineDash([]);
  g.beginPath();
  g.arc(centre[0], centre[1], radius, 0, 2 * Math.PI);
  g.fillStyle = bench.palette().handleEdge;
  g.fill();
  g.save();
  g.clip();
  g.translate(centre[0], centre[1]);
  g.scale(POWER, POWER);
  g.translate(-at.raw[0], -at.raw[1]);
  const reach = radius / POWER;
  picture?.draw(g, { x: at.raw[0] - reach, y: at.raw[1] - reach, w: 2 * reach, h: 2 * reach }, view.scale * POWER);
  shapes(g);
  g.restore();
  g.strokeStyle = bench.palette().guide;
  g.lineWidth = unit;
  g.beginPath();
  g.moveTo(centre[0] - 12 * unit, centre[1]);
  g.lineTo(centre[0] + 12 * unit, centre[1]);
  g.moveTo(centre[0], centre[1] - 12 * unit);
  g.lineTo(centre[0], centre[1] + 12 * unit);
  g.stroke();
  g.lineWidth = 2 * unit;
  g.strokeStyle = bench.palette().handle;
  g.beginPath();
  g.arc(centre[0], centre[1], radius, 0, 2 * Math.PI);
  g.stroke();
  g.restore();
}
