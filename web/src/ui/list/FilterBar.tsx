import { DatePicker, Input, Select, Switch } from "antd";
import dayjs from "dayjs";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ListState } from "./list-state";
import { SearchBox } from "./SearchBox";
import type { ListFilter } from "./types";
import surfaces from "../Surfaces.module.css";
import styles from "./ListPage.module.css";

interface FilterBarProps {
  state: ListState;
  filters: ListFilter[];
  /** Null: there is no search. */
  searchLabel: string | null;
  extra: ReactNode;
}

export function FilterBar({ state, filters, searchLabel, extra }: FilterBarProps) {
  return (
    <div className={surfaces.tools} role="search">
      {searchLabel && <SearchBox className={styles.search} value={state.q} label={searchLabel} onSearch={(q) => state.change({ q })} />}
      {filters.map((filter) => (
        <FilterControl key={filter.key} filter={filter} state={state} />
      ))}
      <span className={styles.filtersEnd}>{extra}</span>
    </div>
  );
}

function FilterControl({ filter, state }: { filter: ListFilter; state: ListState }) {
  switch (filter.kind) {
    case "select":
      return (
        <Select
          className={styles.select}
          aria-label={filter.label}
          placeholder={filter.label}
          allowClear
          value={state.filters[filter.key]}
          options={filter.options}
          onChange={(value: string | undefined) => state.change({ [filter.key]: value ?? null })}
        />
      );
    case "toggle":
      return <ToggleFilter filter={filter} state={state} />;
    case "text":
      return (
        <Input
          key={state.filters[filter.key] ?? ""}
          className={filter.isWide ? styles.wideFilter : styles.textFilter}
          aria-label={filter.label}
          placeholder={filter.label}
          allowClear
          defaultValue={state.filters[filter.key]}
          onPressEnter={(event) => state.change({ [filter.key]: event.currentTarget.value.trim() })}
          onBlur={(event) => state.change({ [filter.key]: event.currentTarget.value.trim() })}
          onClear={() => state.change({ [filter.key]: null })}
        />
      );
    case "dates":
      return <DatesFilter filter={filter} state={state} />;
  }
}

function ToggleFilter({ filter, state }: { filter: Extract<ListFilter, { kind: "toggle" }>; state: ListState }) {
  return (
    <span className={styles.toggle}>
      <Switch
        size="small"
        aria-label={filter.label}
        checked={state.filters[filter.key] === "true"}
        onChange={(isOn) => state.change({ [filter.key]: isOn ? "true" : null })}
      />
      <span aria-hidden>{filter.label}</span>
    </span>
  );
}

function DatesFilter({ filter, state }: { filter: Extract<ListFilter, { kind: "dates" }>; state: ListState }) {
  const { t } = useTranslation();
  const since = state.filters[filter.sinceKey];
  const until = state.filters[filter.untilKey];
  return (
    <DatePicker.RangePicker
      aria-label={filter.label}
      allowEmpty={[true, true]}
      placeholder={[t("list.since"), t("list.until")]}
      value={[since ? dayjs(since) : null, until ? dayjs(until) : null]}
      onChange={(range) =>
        state.change({
          [filter.sinceKey]: range?.[0]?.startOf("day").toISOString() ?? null,
          [filter.untilKey]: range?.[1]?.endOf("day").toISOString() ?? null,
        })
      }
    />
  );
}
