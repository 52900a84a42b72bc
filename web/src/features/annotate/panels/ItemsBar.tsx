/** Which items are shown below or in the grid: by state, label and name. */
import { Input, Segmented, Select } from "antd";
import type { InputRef } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { ItemState } from "../model/types";
import { useItemList, useSession, useSessionState } from "../session/use-session";
import { labelRows } from "./label-tree";
import styles from "../Workbench.module.css";

type Tab = "all" | ItemState;

const TABS: Tab[] = ["all", "unlabelled", "labelled", "rework", "aside"];

export function ItemsBar({ searchRef }: { searchRef: React.RefObject<InputRef | null> }) {
  return (
    <div className={styles.itemsBar}>
      <Tabs />
      <span className={styles.gap} />
      <Filters searchRef={searchRef} />
    </div>
  );
}

function Tabs() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const format = useFormat();
  const { filter } = useItemList();
  const { data: version = session.version } = useQuery({ queryKey: ["annotate", "counts", session.version.id], queryFn: () => session.api.version(), initialData: session.version, refetchInterval: 10_000 });
  const count = (tab: Tab) => format.number(tab === "all" ? version.items : (version.states[tab] ?? 0));
  return (
    <Segmented
      size="small"
      value={filter.state ?? "all"}
      aria-label={t("tab.label")}
      // After a click the arrow keys go through items again, not through tabs.
      onClick={(event) => event.detail > 0 && document.activeElement instanceof HTMLElement && document.activeElement.blur()}
      options={TABS.map((tab) => ({ value: tab, label: <>{t(`tab.${tab}`)} <span className={styles.count}>{count(tab)}</span></> }))}
      onChange={(tab: Tab) => void session.filter({ ...filter, state: tab === "all" ? undefined : tab })}
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
