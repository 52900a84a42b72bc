import { useTranslation } from "react-i18next";
import type { Annotation } from "@/features/annotate/model/types";
import { Overlay } from "@/features/annotate/Overlay";
import { useFormat } from "@/lib/format";
import type { Labels, PreviewItem, PreviewPicture } from "../types";
import itemStyles from "../items/Items.module.css";
import styles from "../works/Works.module.css";

/** Pictures before and after, with what is annotated on them. */
export function PreviewPairs({ items, labels }: { items: PreviewItem[]; labels: Labels }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  return (
    <ul className={styles.pairs} aria-label={t("prepare.preview")}>
      {items.map((item) => (
        <li key={item.seq} className={styles.pair}>
          <div className={styles.pairPictures}>
            <div>{item.before ? <Shown picture={item.before} labels={labels} alt={t("prepare.before", { name: item.path })} /> : item.problem}</div>
            <div>{item.after ? <Shown picture={item.after} labels={labels} alt={t("prepare.after", { name: item.path })} /> : item.is_blurred ? t("prepare.setAside") : item.problem}</div>
          </div>
          <div className={styles.pairFoot}>
            <span>{item.path}</span>
            {item.before && item.after && (
              <span>
                {item.before.width} × {item.before.height} → {item.after.width} × {item.after.height}
              </span>
            )}
            {item.sharpness !== null && <span>{t("cleaning.sharpness", { value: format.decimal(item.sharpness, 1) })}</span>}
            {item.lost > 0 && <span>{t("prepare.lost", { count: item.lost })}</span>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Shown({ picture, labels, alt }: { picture: PreviewPicture; labels: Labels; alt: string }) {
  return (
    <span className={itemStyles.picture}>
      <img src={picture.picture} alt={alt} />
      <Overlay annotations={picture.annotations as unknown as Annotation[]} labels={labels} width={picture.width} height={picture.height} />
    </span>
  );
}
