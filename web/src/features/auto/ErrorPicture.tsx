/** The item with what is doubted about it drawn on. */
import { useState } from "react";
import { FileImageOutlined } from "@ant-design/icons";
import type { Annotation } from "@/features/annotate/model/types";
import { Overlay } from "@/features/annotate/Overlay";
import { thumbnailAddress } from "@/features/datasets/addresses";
import { textOf } from "@/features/datasets/items/Picture";
import type { DatasetVersionRef, Labels } from "@/features/datasets/types";
import type { LabelError } from "./types";
import styles from "./Auto.module.css";

const SIZE = 512;

export function ErrorPicture({ of, error, labels }: { of: DatasetVersionRef; error: LabelError; labels: Labels }) {
  const [isBroken, setBroken] = useState(false);
  const { item, annotation } = error;
  if (!item.media.startsWith("image/")) return <div className={styles.errorWords}>{textOf(item) ?? item.path}</div>;
  return (
    <div className={styles.errorPicture}>
      {isBroken ? (
        <FileImageOutlined aria-hidden />
      ) : (
        <span>
          <img src={thumbnailAddress(of, item, SIZE)} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />
          {annotation && item.width && item.height && <Overlay annotations={[annotation as unknown as Annotation]} labels={labels} width={item.width} height={item.height} />}
        </span>
      )}
    </div>
  );
}
