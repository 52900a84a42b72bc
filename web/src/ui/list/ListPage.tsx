/** The list shape: title, one primary action, filters, rows, bulk bar, "more". State is in the address bar. */
import { ReloadOutlined } from "@ant-design/icons";
import { Button, Grid, Skeleton } from "antd";
import type { QueryKey } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "../EmptyState";
import { ErrorState } from "../ErrorState";
import { IconButton } from "../IconButton";
import { PageHeader } from "../PageHeader";
import { BulkBar } from "./BulkBar";
import { useColumnsChoice } from "./columns-choice";
import { ColumnsButton } from "./ColumnsButton";
import { FilterBar } from "./FilterBar";
import { useListData } from "./list-data";
import { useListState } from "./list-state";
import { ListCards } from "./ListCards";
import { ListTable } from "./ListTable";
import type { BulkAction, ListColumn, ListEmpty, ListFilter, ListLoader, RowAction } from "./types";
import surfaces from "../Surfaces.module.css";
import styles from "./ListPage.module.css";

const NO_FILTERS: ListFilter[] = [];

export interface ListPageProps<T> {
  /** Names the list: its remembered columns are kept under it. */
  listKey: string;
  queryKey: QueryKey;
  load: ListLoader<T>;
  columns: ListColumn<T>[];
  keyOf: (row: T) => string;
  nameOf: (row: T) => string;
  /** Left out when the list is a tab of a thing's page, which has its own title. */
  title?: string;
  description?: string;
  primaryAction?: ReactNode;
  filters?: ListFilter[];
  searchLabel?: string;
  /** False where the server cannot search this list. */
  isSearchable?: boolean;
  defaultSort?: string;
  rowActions?: (row: T) => RowAction[];
  onRowClick?: (row: T) => void;
  bulkActions?: BulkAction<T>[];
  /** How often it is read anew, where it shows figures that nobody sends news of. */
  refreshMs?: number;
  empty: ListEmpty;
}

export function ListPage<T extends object>(props: ListPageProps<T>) {
  const { listKey, queryKey, load, columns, filters = NO_FILTERS, defaultSort = "" } = props;
  const { t } = useTranslation();
  const state = useListState(filters, defaultSort);
  const data = useListData(queryKey, load, state, props.refreshMs);
  const choice = useColumnsChoice(listKey, columns);
  const refresh = (
    <>
      <ColumnsButton columns={columns} isShown={choice.isShown} setShown={choice.setShown} />
      <IconButton icon={<ReloadOutlined aria-hidden spin={data.query.isFetching} />} label={t("action.refresh")} onClick={() => void data.query.refetch()} />
    </>
  );
  return (
    <section>
      {props.title && <PageHeader title={props.title} description={props.description} actions={props.primaryAction} />}
      <div className={surfaces.box}>
        <FilterBar
          state={state}
          filters={filters}
          searchLabel={props.isSearchable === false ? null : (props.searchLabel ?? t("list.search"))}
          extra={
            <>
              {refresh}
              {!props.title && props.primaryAction}
            </>
          }
        />
        <ListBody {...props} state={state} data={data} columns={choice.visible} />
      </div>
    </section>
  );
}

interface ListBodyProps<T> extends ListPageProps<T> {
  state: ReturnType<typeof useListState>;
  data: ReturnType<typeof useListData<T>>;
}

function ListBody<T extends object>(props: ListBodyProps<T>) {
  const { data, state, keyOf, nameOf, bulkActions = [] } = props;
  const { md: isWide } = Grid.useBreakpoint();
  const [ticked, setTicked] = useState<string[]>([]);
  const chosen = data.rows.filter((row) => ticked.includes(keyOf(row)));

  if (data.query.isPending) return <Skeleton className={styles.skeleton} active title={false} paragraph={{ rows: 8, width: "100%" }} />;
  if (data.query.isError && data.rows.length === 0) {
    return <ErrorState error={data.query.error} onRetry={() => void data.query.refetch()} />;
  }
  if (data.rows.length === 0) return <NoRows {...props} />;

  const rowsProps = {
    rows: data.rows,
    columns: props.columns,
    state,
    keyOf,
    nameOf,
    rowActions: props.rowActions,
    onRowClick: props.onRowClick,
    selection: bulkActions.length > 0 ? { keys: chosen.map(keyOf), set: setTicked } : null,
  };
  return (
    <>
      {chosen.length > 0 && (
        <BulkBar
          rows={chosen}
          nameOf={nameOf}
          actions={bulkActions}
          onClear={() => setTicked([])}
          onFinished={() => {
            setTicked([]);
            void data.query.refetch();
          }}
        />
      )}
      {isWide === false ? <ListCards {...rowsProps} /> : <ListTable {...rowsProps} />}
      <ListFoot data={data} />
    </>
  );
}

function NoRows<T>({ state, empty }: ListBodyProps<T>) {
  const { t } = useTranslation();
  if (!state.isNarrowed) return <EmptyState {...empty} />;
  return (
    <EmptyState
      picture="search"
      title={t("list.nothingFound")}
      text={t("list.nothingFoundText")}
      action={<Button onClick={state.clear}>{t("list.clearFilters")}</Button>}
    />
  );
}

function ListFoot<T>({ data }: { data: ReturnType<typeof useListData<T>> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { query, rows, total, isTotalCapped } = data;
  const figures = { shown: format.number(rows.length), total: format.number(total) };
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{isTotalCapped ? t("list.shownOfMany", figures) : t("list.shown", figures)}</span>
      {query.hasNextPage && (
        <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("list.more")}
        </Button>
      )}
    </div>
  );
}
