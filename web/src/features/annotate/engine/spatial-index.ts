/**
 * Which shapes are near a place. Every shape lies on the grid whose cells are just larger than itself, in at most four
 * cells; a question looks at the few grids there are.
 */
import { intersects } from "../model/geometry";
import type { Rect } from "../model/geometry";

interface Entry<T> {
  value: T;
  rect: Rect;
  level: number;
}

export class SpatialIndex<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly levels = new Map<number, Map<string, Set<string>>>();

  get size(): number {
    return this.entries.size;
  }

  set(id: string, rect: Rect, value: T): void {
    this.delete(id);
    const level = Math.max(3, Math.ceil(Math.log2(Math.max(rect.w, rect.h, 1))));
    const cells = this.levels.get(level) ?? new Map<string, Set<string>>();
    this.levels.set(level, cells);
    this.entries.set(id, { value, rect, level });
    eachCell(rect, level, (key) => {
      const cell = cells.get(key) ?? new Set();
      cell.add(id);
      cells.set(key, cell);
    });
  }

  delete(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    const cells = this.levels.get(entry.level);
    eachCell(entry.rect, entry.level, (key) => {
      const cell = cells?.get(key);
      cell?.delete(id);
      if (cell?.size === 0) cells?.delete(key);
    });
    if (cells?.size === 0) this.levels.delete(entry.level);
  }

  rectOf(id: string): Rect | null {
    return this.entries.get(id)?.rect ?? null;
  }

  query(rect: Rect): T[] {
    const found = new Map<string, T>();
    for (const [level, cells] of this.levels) {
      if (cellCount(rect, level) > cells.size) this.scan(level, rect, found);
      else eachCell(rect, level, (key) => cells.get(key)?.forEach((id) => this.take(id, rect, found)));
    }
    return [...found.values()];
  }

  /** A question larger than what there is: look at the cells that are there instead of all it covers. */
  private scan(level: number, rect: Rect, found: Map<string, T>): void {
    for (const cell of this.levels.get(level)?.values() ?? []) cell.forEach((id) => this.take(id, rect, found));
  }

  private take(id: string, rect: Rect, found: Map<string, T>): void {
    const entry = this.entries.get(id);
    if (entry && !found.has(id) && intersects(entry.rect, rect)) found.set(id, entry.value);
  }
}

function span(rect: Rect, level: number): [number, number, number, number] {
  const size = 2 ** level;
  return [Math.floor(rect.x / size), Math.floor(rect.y / size), Math.floor((rect.x + rect.w) / size), Math.floor((rect.y + rect.h) / size)];
}

function cellCount(rect: Rect, level: number): number {
  const [x0, y0, x1, y1] = span(rect, level);
  return (x1 - x0 + 1) * (y1 - y0 + 1);
}

function eachCell(rect: Rect, level: number, visit: (key: string) => void): void {
  const [x0, y0, x1, y1] = span(rect, level);
  for (let x = x0; x <= x1; x++) for (let y = y0; y <= y1; y++) visit(`${x},${y}`);
}
