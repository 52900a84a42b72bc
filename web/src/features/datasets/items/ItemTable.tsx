import { Table } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import type { ItemView } from "../types";
import { isTicked } from "./choice";
import { Classes } from "./ItemGrid";
import type { ItemsShown } from "./ItemGrid";
import { ItemStateBadge } from "./ItemStateBadge";
import { Picture } from "./Picture";
import styles from "./Items.module.css";

export function ItemTable({ of, items, labels, choice, onTick, onOpen }: ItemsShown) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  return (
    <TableBox label={t("tab.items")}>
      <Table<ItemView>
        size="small"
        rowKey="seq"
        dataSource={items}
        pagination={false}
        rowSelection={
          onTick && {
            selectedRowKeys: items.filter((item) => isTicked(choice, item.seq)).map((item) => item.seq),
            onSelect: (item, _isOn, _rows, event) => onTick(item.seq, (event as MouseEvent).shiftKey),
            hideSelectAll: true,
            getCheckboxProps: (item) => ({ "aria-label": t("items.tick", { name: item.path }) }),
          }
        }
        columns={[
          {
            key: "picture",
            title: "",
            width: 64,
            render: (_, item) => (
              <span className={styles.mini}>
                <Picture of={of} item={item} labels={labels} />
              </span>
            ),
          },
          { key: "seq", title: "#", width: 64, align: "right", render: (_, item) => format.number(item.seq) },
          {
            key: "path",
            title: t("items.path"),
            render: (_, item) => (
              <button type="button" className={styles.link} onClick={() => onOpen(item.seq)}>
                {item.path}
              </button>
            ),
          },
          { key: "state", title: t("common:field.state"), render: (_, item) => <ItemStateBadge state={item.state} /> },
          { key: "classes", title: t("items.classes"), render: (_, item) => <Classes item={item} labels={labels} /> },
          { key: "annotations", title: t("items.annotations"), align: "right", render: (_, item) => format.number(item.annotations_count) },
          { key: "measure", title: t("items.measure"), align: "right", render: (_, item) => measure(item) ?? none },
          { key: "size", title: t("column.size"), align: "right", render: (_, item) => format.bytes(item.size_bytes) },
          { key: "annotator", title: t("items.annotator"), render: (_, item) => item.annotator ?? none },
          { key: "owner", title: t("items.owner"), render: (_, item) => item.owner ?? none },
          { key: "updated", title: t("common:field.updatedAt"), render: (_, item) => <RelativeTime at={item.updated_at} /> },
        ]}
      />
    </TableBox>
  );

  function measure(item: ItemView): string | null {
    if (item.width && item.height) return `${item.width} × ${item.height}`;
    return item.duration === null ? null : `${format.decimal(item.duration, 1)} s`;
  }
}
