/** A small picture of an item with what is drawn on it. */
import { AudioOutlined, FileTextOutlined, TableOutlined } from "@ant-design/icons";
import { memo, useState } from "react";
import type { Annotation, Item, Label } from "../model/types";
import { Overlay } from "../Overlay";
import { useSession } from "../session/use-session";
import styles from "../Workbench.module.css";

interface ThumbProps {
  item: Item;
  annotations: readonly Annotation[];
  labels: ReadonlyMap<number, Label>;
  size: number;
}

export const Thumb = memo(function Thumb({ item, annotations, labels, size }: ThumbProps) {
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
});

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
