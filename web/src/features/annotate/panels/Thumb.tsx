/** A small picture of an item with what is drawn on it. */
import { AudioOutlined, FileTextOutlined, TableOutlined } from "@ant-design/icons";
import { useMemo, useState } from "react";
import { boundsOf, corners } from "../model/geometry";
import { maskExtent } from "../model/rle";
import { isShape } from "../model/types";
import type { Annotation, Item, Label, Shape } from "../model/types";
import { useSession } from "../session/use-session";
import styles from "../Workbench.module.css";

const MOST_SHAPES = 150;

interface ThumbProps {
  item: Item;
  annotations: readonly Annotation[];
  labels: ReadonlyMap<number, Label>;
  size: number;
}

export function Thumb({ item, annotations, labels, size }: ThumbProps) {
  const { api, kind } = useSession();
  const [isBroken, setBroken] = useState(false);
  if (kind.view !== "picture") return <WordsThumb item={item} view={kind.view} />;
  const { width, height } = item;
  return (
    <span className={styles.thumb}>
      {isBroken ? <FileTextOutlined aria-hidden className={styles.thumbIcon} /> : <img src={api.thumbnailAddress(item, size)} alt="" loading="lazy" decoding="async" draggable={false} onError={() => setBroken(true)} />}
      {width && height && <Overlay annotations={annotations} labels={labels} width={width} height={height} />}
    </span>
  );
}

function WordsThumb({ item, view }: { item: Item; view: "text" | "row" | "audio" }) {
  const preview = typeof item.info.preview === "string" ? item.info.preview : null;
  if (preview) return <span className={styles.thumbText} aria-hidden="true">{preview}</span>;
  const Icon = view === "audio" ? AudioOutlined : view === "row" ? TableOutlined : FileTextOutlined;
  return (
    <span className={styles.thumb}>
      <Icon aria-hidden className={styles.thumbIcon} />
    </span>
  );
}

function Overlay({ annotations, labels, width, height }: { annotations: readonly Annotation[]; labels: ReadonlyMap<number, Label>; width: number; height: number }) {
  const shapes = useMemo(() => annotations.filter(isShape).slice(0, MOST_SHAPES), [annotations]);
  if (shapes.length === 0) return null;
  return (
    <svg className={styles.overlay} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {shapes.map((shape) => (
        <path key={shape.id} d={pathOf(shape)} stroke={labels.get(shape.label ?? -1)?.colour ?? "currentColor"} fill="none" strokeWidth={shape.type === "keypoints" ? 4 : 2} strokeLinecap="round" vectorEffect="non-scaling-stroke" />
      ))}
    </svg>
  );
}

function pathOf(shape: Shape): string {
  const line = (points: number[]) => `M${points.join(" ")}`;
  if (shape.type === "box") return `${line(corners(shape).flat())}Z`;
  if (shape.type === "polygon") return shape.rings.map((ring) => `${line(ring)}Z`).join("");
  if (shape.type === "polyline") return line(shape.points);
  if (shape.type === "keypoints") return shape.points.filter(([, , v]) => v > 0).map(([x, y]) => `M${x} ${y}h0.1`).join("");
  const { x, y, w, h } = boundsOf(shape, (one) => (one.type === "mask" ? maskExtent(one) : { x: 0, y: 0, w: 0, h: 0 }));
  return `M${x} ${y}h${w}v${h}h${-w}Z`;
}
