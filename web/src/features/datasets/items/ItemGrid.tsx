import { Checkbox } from "antd";
import { useTranslation } from "react-i18next";
import { certaintyOf } from "@/features/annotate/model/suggestions";
import type { Annotation } from "@/features/annotate/model/types";
import { Certainty } from "@/features/auto/Certainty";
import type { DatasetVersionRef, ItemView, Labels } from "../types";
import { isTicked } from "./choice";
import type { Choice } from "./choice";
import { classesOf } from "./classes";
import { ItemStateBadge } from "./ItemStateBadge";
import { Picture } from "./Picture";
import pictures from "@/ui/Pictures.module.css";
import styles from "./Items.module.css";

export interface ItemsShown {
  of: DatasetVersionRef;
  items: ItemView[];
  labels: Labels;
  choice: Choice;
  /** Left out where nothing can be changed. */
  onTick?: (seq: number, isRange: boolean) => void;
  onOpen: (seq: number) => void;
}

export function ItemGrid({ of, items, labels, choice, onTick, onOpen }: ItemsShown) {
  const { t } = useTranslation("datasets");
  return (
    <ul className={pictures.grid} aria-label={t("tab.items")}>
      {items.map((item) => (
        <li key={item.seq} className={`${pictures.cell} ${styles.cell}`} data-ticked={isTicked(choice, item.seq) || undefined}>
          <button type="button" className={pictures.open} title={item.path} aria-label={t("items.open", { name: item.path })} onClick={() => onOpen(item.seq)}>
            <Picture of={of} item={item} labels={labels} />
          </button>
          {onTick && (
            <Checkbox
              className={styles.tick}
              checked={isTicked(choice, item.seq)}
              aria-label={t("items.tick", { name: item.path })}
              onChange={(event) => onTick(item.seq, (event.nativeEvent as MouseEvent).shiftKey)}
            />
          )}
          <div className={styles.cellFoot}>
            <ItemStateBadge state={item.state} />
            <Certainty value={certaintyOf(item, (item.annotations ?? []) as Annotation[])} />
            <Classes item={item} labels={labels} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The labels on an item, each once, as many as there is room for. */
export function Classes({ item, labels }: { item: ItemView; labels: Labels }) {
  const { t } = useTranslation("datasets");
  const found = classesOf(item, labels);
  if (found.length === 0) return null;
  const [first, ...rest] = found;
  return (
    <span className={styles.classes} title={found.map(({ label, count }) => t("items.classCount", { name: label.name, count })).join(", ")}>
      <i style={{ background: first?.label.colour }} aria-hidden="true" />
      <span>{first?.label.name}</span>
      {rest.length > 0 && <span className="tm-muted">+{rest.length}</span>}
    </span>
  );
}
