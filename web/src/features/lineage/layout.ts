/** Places the nodes of a lineage from left (sources) to right (what was made from them). */
import dagre from "@dagrejs/dagre";
import type { LineageEdge, LineageNode, LineageView } from "@/features/assets/types";

export const NODE_WIDTH = 220;
export const NODE_HEIGHT = 64;

export interface Placed {
  node: LineageNode;
  x: number;
  y: number;
}

export function placeNodes(nodes: LineageNode[], edges: LineageEdge[]): Placed[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 90, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  return nodes.map((node) => {
    const { x, y } = graph.node(node.id) as { x: number; y: number };
    return { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
}

/** What it is about, with what is joined to it directly: as much as a narrow window shows. */
export function aroundSelf({ nodes, edges }: Pick<LineageView, "nodes" | "edges">): { id: string }[] {
  const selves = new Set(nodes.filter((node) => node.is_self).map((node) => node.id));
  const near = new Set(edges.flatMap(({ from, to }) => (selves.has(from) || selves.has(to) ? [from, to] : [])));
  return nodes.filter(({ id }) => selves.has(id) || near.has(id)).map(({ id }) => ({ id }));
}
