/** Places the nodes of a lineage from left (sources) to right (what was made from them), and their edges with room for words. */
import dagre from "@dagrejs/dagre";
import type { LineageEdge, LineageNode, LineageView } from "@/features/assets/types";

export const NODE_WIDTH = 220;
export const NODE_HEIGHT = 64;
/** Of the words on an edge: as tall as a line, as wide as their letters. */
const WORDS_HEIGHT = 20;
const LETTER_WIDTH = 6;
const WIDE_LETTER_WIDTH = 12;

export interface Point {
  x: number;
  y: number;
}

export interface Placed extends Point {
  node: LineageNode;
}

export interface Drawn {
  id: string;
  edge: LineageEdge;
  words: string;
  /** Where its words are. */
  at: Point;
  /** What it goes by on its way. */
  points: Point[];
}

export function placeLineage({ nodes, edges }: Pick<LineageView, "nodes" | "edges">, wordsOf: (edge: LineageEdge) => string): { nodes: Placed[]; edges: Drawn[] } {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 24, edgesep: 12, ranksep: 60, marginx: 16, marginy: 16 });
  for (const node of nodes) graph.setNode(node.id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to, { width: widthOf(wordsOf(edge)), height: WORDS_HEIGHT, labelpos: "c" }, edge.relation);
  dagre.layout(graph);
  return {
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id) as Point;
      return { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
    }),
    edges: edges.map((edge) => {
      const { x, y, points } = graph.edge(edge.from, edge.to, edge.relation) as Point & { points: Point[] };
      return { id: `${edge.from} ${edge.to} ${edge.relation}`, edge, words: wordsOf(edge), at: { x, y }, points: points.slice(1, -1) };
    }),
  };
}

/** A line through points that leaves and reaches each of them level. */
export function levelPath([first, ...others]: readonly Point[]): string {
  if (!first) return "";
  const parts = [`M${first.x} ${first.y}`];
  let before = first;
  for (const point of others) {
    const middle = (before.x + point.x) / 2;
    parts.push(`C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`);
    before = point;
  }
  return parts.join("");
}

/** What it is about, with what is joined to it directly: as much as a narrow window shows. */
export function aroundSelf({ nodes, edges }: Pick<LineageView, "nodes" | "edges">): { id: string }[] {
  const selves = new Set(nodes.filter((node) => node.is_self).map((node) => node.id));
  const near = new Set(edges.flatMap(({ from, to }) => (selves.has(from) || selves.has(to) ? [from, to] : [])));
  return nodes.filter(({ id }) => selves.has(id) || near.has(id)).map(({ id }) => ({ id }));
}

function widthOf(words: string): number {
  return [...words].reduce((width, letter) => width + (letter > "⺀" ? WIDE_LETTER_WIDTH : LETTER_WIDTH), 8);
}
