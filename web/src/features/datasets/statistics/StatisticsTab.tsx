/** How much there is, of what, and how far the work is. */
import { useQuery } from "@tanstack/react-query";
import { Button, Progress } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Bars } from "@/ui/chart/Bars";
import type { Bar } from "@/ui/chart/Bars";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { ITEM_STATES } from "../data-types";
import { refOf } from "../dataset-actions";
import { statisticsQuery } from "../queries";
import type { DatasetVersionView, DatasetView, StatisticsView } from "../types";
import styles from "./Statistics.module.css";

/** So many classes are drawn at once; the rest on demand. */
const SHOWN = 20;
const SIZES = ["small", "medium", "large"] as const;

export function StatisticsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const query = useQuery(statisticsQuery({ ...refOf(dataset), version: version.number }));
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const found = query.data;
  if (found.items === 0) return <EmptyState title={t("items.none")} />;
  const hasShapes = SIZES.some((size) => (found.sizes[size] ?? 0) > 0);
  return (
    <>
      <Figures of={found} isAnnotated={dataset.annotation_type !== "none"} />
      <div className={styles.charts}>
        <Bars label={t("statistics.byState")} formatValue={format.number} bars={ITEM_STATES.map((state) => ({ key: state, name: t(`itemState.${state}`), value: found.states[state] ?? 0 })).filter((bar) => bar.value > 0)} />
        {hasShapes && <Bars label={t("statistics.bySize")} note={t("statistics.sizeNote")} formatValue={format.number} bars={SIZES.map((size) => ({ key: size, name: t(`statistics.size.${size}`), value: found.sizes[size] ?? 0 }))} />}
        {found.annotators.length > 0 && <Bars label={t("statistics.byAnnotator")} formatValue={format.number} bars={found.annotators.map(({ name, items }) => ({ key: name, name, value: items }))} />}
      </div>
      <div className={styles.charts}>
        <ClassBars of={found} what="items" />
        {found.annotations > 0 && <ClassBars of={found} what="annotations" />}
      </div>
    </>
  );
}

function Figures({ of, isAnnotated }: { of: StatisticsView; isAnnotated: boolean }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const figures = [
    { key: "items", value: format.number(of.items), label: t("statistics.items") },
    { key: "annotations", value: format.number(of.annotations), label: t("statistics.annotations") },
    { key: "size", value: format.bytes(of.size_bytes), label: t("column.size") },
    { key: "duplicates", value: format.number(of.duplicates), label: t("statistics.duplicates") },
  ];
  return (
    <div className={styles.figures}>
      {isAnnotated && (
        <div className={styles.figure}>
          <span>{t("statistics.progress")}</span>
          <Progress percent={Math.floor(of.progress)} aria-label={t("statistics.progress")} />
          <small className="tm-muted">{t("statistics.done", { done: format.number(of.done), all: format.number(of.items - (of.states.aside ?? 0)) })}</small>
        </div>
      )}
      {figures.map(({ key, value, label }) => (
        <div key={key} className={styles.figure}>
          <span>{label}</span>
          <strong>{value}</strong>
        </div>
      ))}
    </div>
  );
}

function ClassBars({ of, what }: { of: StatisticsView; what: "items" | "annotations" }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const [isWhole, setWhole] = useState(false);
  const bars = classBars(of, what);
  const shown = isWhole ? bars : bars.slice(0, SHOWN);
  return (
    <div>
      <Bars label={what === "items" ? t("statistics.byClassItems") : t("statistics.byClassAnnotations")} note={t("statistics.classes", { count: bars.length })} formatValue={format.number} bars={shown} />
      {bars.length > SHOWN && (
        <Button type="link" size="small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("statistics.fewer") : t("statistics.allClasses", { count: bars.length })}
        </Button>
      )}
    </div>
  );
}

/** Classes that are used, the most frequent first. */
export function classBars({ labels }: Pick<StatisticsView, "labels">, what: "items" | "annotations"): Bar[] {
  return labels
    .filter((label) => label[what] > 0)
    .sort((a, b) => b[what] - a[what])
    .map((label) => ({ key: String(label.number), name: label.name, value: label[what], colour: label.colour }));
}
