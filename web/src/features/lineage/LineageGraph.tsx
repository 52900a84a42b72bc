import { BranchesOutlined, CloudServerOutlined, ContainerOutlined, FileSearchOutlined, FileUnknownOutlined } from "@ant-design/icons";
import { Grid } from "antd";
import { BaseEdge, Controls, Handle, MarkerType, Position, ReactFlow } from "@xyflow/react";
import type { Edge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { isAssetKind, KINDS } from "@/features/assets/kinds";
import type { LineageNode, LineageView } from "@/features/assets/types";
import { useThemeMode } from "@/theme/mode";
import { aroundSelf, levelPath, placeLineage } from "./layout";
import type { Drawn } from "./layout";
import { useNodeText } from "./node-text";
import styles from "./Lineage.module.css";

type GraphNode = Node<{ node: LineageNode }>;
type GraphEdge = Edge<{ drawn: Drawn }>;

const OTHER_ICONS: Record<string, ReactNode> = {
  git: <BranchesOutlined aria-hidden />,
  service: <CloudServerOutlined aria-hidden />,
  image: <ContainerOutlined aria-hidden />,
  inference: <FileSearchOutlined aria-hidden />,
};
const NODE_TYPES = { version: VersionNode };
const EDGE_TYPES = { relation: RelationEdge };

export default function LineageGraph({ lineage }: { lineage: LineageView }) {
  const { t } = useTranslation("assets");
  const navigate = useNavigate();
  const mode = useThemeMode();
  const { md: isWide = true } = Grid.useBreakpoint();
  const placed = useMemo(() => placeLineage(lineage, ({ relation }) => t(`lineage.flow.${relation}`)), [lineage, t]);
  const nodes = useMemo<GraphNode[]>(() => placed.nodes.map(({ node, x, y }) => ({ id: node.id, type: "version", position: { x, y }, data: { node }, ariaLabel: node.label })), [placed]);
  const edges = useMemo<GraphEdge[]>(
    () => placed.edges.map((drawn) => ({ id: drawn.id, type: "relation", source: drawn.edge.from, target: drawn.edge.to, data: { drawn }, markerEnd: { type: MarkerType.ArrowClosed }, focusable: false })),
    [placed],
  );
  return (
    <ReactFlow
      colorMode={mode}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      preventScrolling={false}
      zoomOnScroll={false}
      fitView
      fitViewOptions={{ minZoom: 0.6, maxZoom: 1, padding: 0.15, ...(isWide ? {} : { nodes: aroundSelf(lineage) }) }}
      minZoom={0.2}
      onNodeClick={(_event, { data: { node } }) => {
        if (node.link) void navigate(node.link);
      }}
      aria-label={t("lineage.graph")}
    >
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function VersionNode({ data: { node } }: NodeProps<GraphNode>) {
  const text = useNodeText();
  return (
    <div
      className={styles.node}
      data-kind={node.kind}
      data-self={node.is_self || undefined}
      data-ghost={!node.exists || undefined}
      data-link={node.link !== null || undefined}
      title={node.label}
    >
      <Handle type="target" position={Position.Left} className={styles.handle} />
      <span className={styles.icon} aria-hidden>
        {iconOf(node)}
      </span>
      <div className={styles.text}>
        <div className={styles.label}>{node.label}</div>
        <div className={styles.kind}>{text(node)}</div>
      </div>
      <Handle type="source" position={Position.Right} className={styles.handle} />
    </div>
  );
}

function RelationEdge({ sourceX, sourceY, targetX, targetY, data, markerEnd }: EdgeProps<GraphEdge>) {
  if (!data) return null;
  const { words, at, points } = data.drawn;
  const path = levelPath([{ x: sourceX, y: sourceY }, ...points, { x: targetX, y: targetY }]);
  return <BaseEdge path={path} label={words} labelX={at.x} labelY={at.y} {...(markerEnd ? { markerEnd } : {})} />;
}

function iconOf(node: LineageNode) {
  if (isAssetKind(node.kind)) return KINDS[node.kind].icon;
  return OTHER_ICONS[node.kind] ?? <FileUnknownOutlined aria-hidden />;
}
