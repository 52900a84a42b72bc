/** One item: what it is, what is annotated on it, and what its annotations were before. */
import { DownloadOutlined, HighlightOutlined, LeftOutlined, RightOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Drawer, Tabs } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { annotatePath } from "@/features/annotate/addresses";
import type { Annotation } from "@/features/annotate/model/types";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Facts } from "@/ui/Facts";
import { IconButton } from "@/ui/IconButton";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { contentAddress } from "../addresses";
import { getItem, getNeighbour } from "../api";
import { itemsKey } from "../queries";
import type { DatasetVersionRef, DatasetVersionView, ItemFilter, ItemView, Labels } from "../types";
import { AnnotationList } from "./AnnotationList";
import { ItemContent } from "./ItemContent";
import { ItemHistory } from "./ItemHistory";
import { ItemStateBadge } from "./ItemStateBadge";
import styles from "./Items.module.css";

interface ItemDrawerProps {
  of: DatasetVersionRef;
  seq: number;
  labels: Labels;
  filter: ItemFilter;
  version: DatasetVersionView;
  onOpen: (seq: number | null) => void;
}

export function ItemDrawer({ of, seq, labels, filter, version, onOpen }: ItemDrawerProps) {
  const { t } = useTranslation("datasets");
  const item = useQuery({ queryKey: [...itemsKey(of), "one", seq], queryFn: () => getItem(of, seq) });
  return (
    <Drawer open size={720} styles={{ wrapper: { maxWidth: "100vw" } }} title={item.data?.path ?? t("items.one", { number: seq })} onClose={() => onOpen(null)} extra={<Neighbours of={of} seq={seq} filter={filter} onOpen={onOpen} />} closable={{ "aria-label": t("items.close") }}>
      {item.isPending && <Loading />}
      {item.isError && <ErrorState error={item.error} onRetry={() => void item.refetch()} />}
      {item.data && <Inside key={seq} of={of} item={item.data} labels={labels} version={version} />}
    </Drawer>
  );
}

function Inside({ of, item, labels, version }: { of: DatasetVersionRef; item: ItemView; labels: Labels; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const [pointed, setPointed] = useState<string | null>(null);
  /** Annotations of an earlier time that are looked at instead of today's. */
  const [earlier, setEarlier] = useState<Annotation[] | null>(null);
  const now = (item.annotations ?? []) as Annotation[];
  return (
    <div className={styles.drawer}>
      <ItemContent of={of} item={item} annotations={earlier ?? now} labels={labels} highlighted={pointed} />
      <div className={styles.drawerActions}>
        <ItemStateBadge state={item.state} />
        <span className={styles.filtersEnd}>
          <Button icon={<DownloadOutlined aria-hidden />} href={contentAddress(of, item, true)}>
            {t("items.download")}
          </Button>
          {version.annotation_type !== "none" && (
            <Link to={annotatePath(of.project, of.dataset, of.version, item.seq)}>
              <Button type="primary" icon={<HighlightOutlined aria-hidden />} tabIndex={-1}>
                {version.can_annotate ? t("annotate.action") : t("annotate.view")}
              </Button>
            </Link>
          )}
        </span>
      </div>
      <Tabs
        onChange={() => setEarlier(null)}
        items={[
          { key: "annotations", label: t("items.annotationsTab", { count: now.length }), children: <AnnotationList annotations={now} labels={labels} onPoint={setPointed} /> },
          { key: "history", label: t("items.history"), children: <ItemHistory of={of} item={item} canRestore={version.can_annotate && version.work === "draft"} onLook={setEarlier} /> },
          { key: "facts", label: t("items.facts"), children: <ItemFacts item={item} /> },
        ]}
      />
    </div>
  );
}

function ItemFacts({ item }: { item: ItemView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const { sharpness, frame, time, split } = item.info as { sharpness?: unknown; frame?: unknown; time?: unknown; split?: unknown };
  const known = { sharpness, frame, time, split };
  return (
    <Facts
      facts={[
        { key: "seq", label: t("items.number"), value: format.number(item.seq) },
        { key: "media", label: t("items.media"), value: item.media },
        { key: "size", label: t("column.size"), value: format.bytes(item.size_bytes) },
        ...(item.width && item.height ? [{ key: "measure", label: t("items.measure"), value: `${item.width} × ${item.height}` }] : []),
        ...(item.duration === null ? [] : [{ key: "duration", label: t("items.duration"), value: `${format.decimal(item.duration, 2)} s` }]),
        ...(["sharpness", "frame", "time", "split"] as const).flatMap((key) => {
          const value = known[key];
          return typeof value === "number" || typeof value === "string" ? [{ key, label: t(`items.info.${key}`), value: typeof value === "number" ? format.decimal(value, 2) : value }] : [];
        }),
        { key: "annotator", label: t("items.annotator"), value: item.annotator ?? "–" },
        { key: "owner", label: t("items.owner"), value: item.owner ?? "–" },
        { key: "updated", label: t("common:field.updatedAt"), value: <RelativeTime at={item.updated_at} /> },
      ]}
    />
  );
}

function Neighbours({ of, seq, filter, onOpen }: Pick<ItemDrawerProps, "of" | "seq" | "filter" | "onOpen">) {
  const { t } = useTranslation("datasets");
  const before = useNeighbour(of, filter, seq, true);
  const after = useNeighbour(of, filter, seq, false);
  return (
    <>
      <IconButton icon={<LeftOutlined aria-hidden />} label={t("items.before")} disabled={!before} onClick={() => before && onOpen(before)} />
      <IconButton icon={<RightOutlined aria-hidden />} label={t("items.after")} disabled={!after} onClick={() => after && onOpen(after)} />
    </>
  );
}

function useNeighbour(of: DatasetVersionRef, filter: ItemFilter, seq: number, back: boolean): number | null {
  const found = useQuery({ queryKey: [...itemsKey(of), "neighbour", filter, seq, back], queryFn: () => getNeighbour(of, filter, seq, back) });
  return found.data?.seq ?? null;
}
