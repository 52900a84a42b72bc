/** Places the nodes of a lineage from left (sources) to right (what was made from them). */
import dagre from "@dagrejs/dagre";
import type { LineageEdge, LineageNode } from "@/features/assets/types";

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
