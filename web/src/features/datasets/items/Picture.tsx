/** What an item looks like in a small place: its picture, the first words of its text, or a sign for what it is. */
import { AudioOutlined, FileImageOutlined, FileTextOutlined, PlaySquareOutlined, TableOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { Annotation } from "@/features/annotate/model/types";
import { Overlay } from "@/features/annotate/Overlay";
import { useFormat } from "@/lib/format";
import { thumbnailAddress } from "../addresses";
import type { DatasetVersionRef, ItemView, Labels } from "../types";
import styles from "./Items.module.css";

interface PictureProps {
  of: DatasetVersionRef;
  item: ItemView;
  labels: Labels;
}

export function Picture({ of, item, labels }: PictureProps) {
  const [isBroken, setBroken] = useState(false);
  if (!item.media.startsWith("image/")) return <Words item={item} />;
  if (isBroken) return <FileImageOutlined aria-hidden className={styles.sign} />;
  return (
    <span className={styles.picture}>
      <img src={thumbnailAddress(of, item)} alt="" loading="lazy" decoding="async" draggable={false} onError={() => setBroken(true)} />
      {item.width && item.height && <Overlay annotations={(item.annotations ?? []) as Annotation[]} labels={labels} width={item.width} height={item.height} />}
    </span>
  );
}

function Words({ item }: { item: ItemView }) {
  const format = useFormat();
  const text = textOf(item);
  if (text) return <span className={styles.words}>{text}</span>;
  const Icon = item.media.startsWith("audio/") ? AudioOutlined : item.media.startsWith("video/") ? PlaySquareOutlined : item.media.includes("json") ? TableOutlined : FileTextOutlined;
  return (
    <span className={styles.signed}>
      <Icon aria-hidden className={styles.sign} />
      {item.duration !== null && <span>{format.decimal(item.duration, 1)} s</span>}
    </span>
  );
}

/** The beginning of a text, as it was seen when the item came in. */
export function textOf(item: ItemView): string | null {
  const { text, preview } = item.info;
  return typeof text === "string" ? text : typeof preview === "string" ? preview : null;
}
