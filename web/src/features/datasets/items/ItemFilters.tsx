import { useQuery } from "@tanstack/react-query";
import { Button, Select } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ItemOrder } from "@/features/annotate/session/api";
import { useFormat } from "@/lib/format";
import { SearchBox } from "@/ui/list/SearchBox";
import { ITEM_STATES } from "../data-types";
import { labelTree } from "../labels/label-tree";
import { statisticsQuery } from "../queries";
import type { DatasetVersionRef, ItemState, LabelView } from "../types";
import type { useItemFilter } from "./item-filter";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Items.module.css";

interface ItemFiltersProps {
  of: DatasetVersionRef;
  labels: LabelView[];
  states: Record<string, number>;
  total: number;
  narrowing: ReturnType<typeof useItemFilter>;
  extra: ReactNode;
}

export function ItemFilters({ of, labels, states, total, narrowing, extra }: ItemFiltersProps) {
  const { t } = useTranslation(["datasets", "common", "auto"]);
  const { filter, order, isNarrowed, change, clear } = narrowing;
  const statistics = useQuery(statisticsQuery(of));
  const people = (statistics.data?.annotators ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <>
      <StateTabs states={states} total={total} value={filter.state ?? null} onChange={(state) => change({ state })} />
      <div className={surfaces.tools} role="search">
        <SearchBox className={styles.search} value={filter.q ?? ""} label={t("items.search")} onSearch={(q) => change({ q })} />
        <Select
          className={styles.select}
          aria-label={t("items.byClass")}
          placeholder={t("items.byClass")}
          allowClear
          showSearch={{ optionFilterProp: "label" }}
          value={filter.label ?? undefined}
          options={labelTree(labels).map(({ label, depth }) => ({ value: label.number, label: label.name, depth, colour: label.colour }))}
          optionRender={({ data, label }) => (
            <span className={styles.labelOption} style={{ paddingLeft: data.depth * 16 }}>
              <i style={{ background: data.colour }} aria-hidden="true" />
              {label}
            </span>
          )}
          onChange={(number: number | undefined) => change({ label: number === undefined ? null : String(number) })}
        />
        <Select
          className={styles.select}
          aria-label={t("items.byAnnotator")}
          placeholder={t("items.byAnnotator")}
          allowClear
          showSearch={{ optionFilterProp: "label" }}
          value={filter.annotator ?? undefined}
          options={people}
          notFoundContent={t("items.noAnnotators")}
          onChange={(name: string | undefined) => change({ annotator: name ?? null })}
        />
        {(order !== "seq" || (states.suggested ?? 0) > 0) && (
          <Select<ItemOrder>
            className={styles.select}
            aria-label={t("auto:order.label")}
            value={order}
            popupMatchSelectWidth={false}
            options={(["seq", "uncertainty", "surprise"] as const).map((value) => ({ value, label: t(`auto:order.${value}`) }))}
            onChange={(next) => change({ sort: next === "seq" ? null : next })}
          />
        )}
        {isNarrowed && (
          <Button type="text" size="small" onClick={clear}>
            {t("common:list.clearFilters")}
          </Button>
        )}
        <span className={styles.filtersEnd}>{extra}</span>
      </div>
    </>
  );
}

interface StateTabsProps {
  states: Record<string, number>;
  total: number;
  value: ItemState | null;
  onChange: (state: ItemState | null) => void;
}

function StateTabs({ states, total, value, onChange }: StateTabsProps) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const shown = ITEM_STATES.filter((state) => (states[state] ?? 0) > 0 || state === value || state === "unlabelled" || state === "labelled");
  const chip = (state: ItemState | null, text: string, count: number) => (
    <button key={state ?? "all"} type="button" className={styles.chip} aria-pressed={value === state} onClick={() => onChange(state)}>
      {text} <span>{format.number(count)}</span>
    </button>
  );
  return (
    <div className={styles.chips} role="group" aria-label={t("items.byState")}>
      {chip(null, t("items.all"), total)}
      {shown.map((state) => chip(state, t(`itemState.${state}`), states[state] ?? 0))}
    </div>
  );
}
