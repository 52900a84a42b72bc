/** Which items are shown below or in the grid: by state, label and name. */
import { Button, Input, Segmented, Select } from "antd";
import type { InputRef } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { ItemState } from "../model/types";
import type { ItemOrder } from "../session/api";
import { useItemList, useSession, useSessionState } from "../session/use-session";
import { labelRows } from "./label-tree";
import styles from "../Workbench.module.css";

type Tab = "all" | ItemState;

const TABS: Tab[] = ["all", "unlabelled", "suggested", "labelled", "rework", "aside"];
const ORDERS: ItemOrder[] = ["seq", "uncertainty", "surprise"];

export function ItemsBar({ searchRef }: { searchRef: React.RefObject<InputRef | null> }) {
  return (
    <div className={styles.itemsBar}>
      <Tabs />
      <Order />
      <span className={styles.gap} />
      <Filters searchRef={searchRef} />
    </div>
  );
}

function Tabs() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const format = useFormat();
  const { filter, only } = useItemList();
  const { data: version = session.version } = useQuery({ queryKey: ["annotate", "counts", session.version.id], queryFn: () => session.api.version(), initialData: session.version, refetchInterval: 10_000 });
  if (only) return <Only count={only.length} />;
  // Only where a model has been at work.
  const shown = TABS.filter((tab) => tab !== "suggested" || filter.state === "suggested" || (version.states.suggested ?? 0) > 0);
  const count = (tab: Tab) => format.number(tab === "all" ? version.items : (version.states[tab] ?? 0));
  return (
    <Segmented
      size="small"
      value={filter.state ?? "all"}
      aria-label={t("tab.label")}
      // After a click the arrow keys go through items again, not through tabs.
      onClick={(event) => event.detail > 0 && document.activeElement instanceof HTMLElement && document.activeElement.blur()}
      options={shown.map((tab) => ({ value: tab, label: <>{t(`tab.${tab}`)} <span className={styles.count}>{count(tab)}</span></> }))}
      onChange={(tab: Tab) => void session.filter({ ...filter, state: tab === "all" ? undefined : tab })}
    />
  );
}

/** Items that were chosen elsewhere, in the order they were given. */
function Only({ count }: { count: number }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  return (
    <span className={styles.only}>
      {t("suggestions.only", { count })}
      <Button size="small" type="link" onClick={() => void session.filter({}, "seq")}>
        {t("suggestions.leave")}
      </Button>
    </span>
  );
}

function Order() {
  const { t } = useTranslation("auto");
  const session = useSession();
  const { filter, order, only } = useItemList();
  if (only) return null;
  return (
    <Select<ItemOrder>
      size="small"
      className={styles.order}
      aria-label={t("order.label")}
      value={order}
      popupMatchSelectWidth={false}
      options={ORDERS.map((value) => ({ value, label: t(`order.${value}`) }))}
      onChange={(next) => void session.filter(filter, next)}
    />
  );
}

function Filters({ searchRef }: { searchRef: React.RefObject<InputRef | null> }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const labels = useSessionState((state) => state.labels);
  const { filter } = useItemList();
  return (
    <span className={styles.filters}>
      <Select
        size="small"
        allowClear
        showSearch={{ optionFilterProp: "label" }}
        className={styles.labelFilter}
        placeholder={t("anyLabel")}
        aria-label={t("filterLabel")}
        value={filter.label}
        popupMatchSelectWidth={false}
        options={labelRows(labels).map((row) => ({ value: row.label.number, label: row.label.name, disabled: !row.isLeaf }))}
        onChange={(label: number | undefined) => void session.filter({ ...filter, label })}
      />
      <Input.Search
        ref={searchRef}
        size="small"
        allowClear
        className={styles.search}
        placeholder={t("findItem")}
        aria-label={t("findItem")}
        defaultValue={filter.q}
        onSearch={(q) => void session.filter({ ...filter, q: q.trim() || undefined })}
      />
    </span>
  );
}
