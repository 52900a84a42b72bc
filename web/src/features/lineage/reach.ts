import type { LineageEdge, LineageNode } from "@/features/assets/types";

/** Every version upstream or downstream of the one looked at, for reading without the picture. */
export function splitLineage(nodes: LineageNode[], edges: LineageEdge[]): { sources: LineageNode[]; results: LineageNode[] } {
  const self = nodes.find((node) => node.is_self);
  if (!self) return { sources: [], results: [] };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const reach = (next: (id: string) => string[]) => walk(self.id, next).flatMap((id) => byId.get(id) ?? []);
  return {
    sources: reach((id) => edges.filter((edge) => edge.to === id).map((edge) => edge.from)),
    results: reach((id) => edges.filter((edge) => edge.from === id).map((edge) => edge.to)),
  };
}

function walk(start: string, next: (id: string) => string[]): string[] {
  const seen = new Set([start]);
  const queue = [start];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const other of next(id)) {
      if (seen.has(other)) continue;
      seen.add(other);
      queue.push(other);
    }
  }
  seen.delete(start);
  return [...seen];
}
