/** The items of a version: found by state, class, annotator and path; looked at as pictures or as a table; changed many at once. */
import { AppstoreOutlined, CloudUploadOutlined, ReloadOutlined, UnorderedListOutlined } from "@ant-design/icons";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button, Segmented } from "antd";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useLastDecision } from "@/features/auto/deciding";
import { SuggestionsBar } from "@/features/auto/SuggestionsBar";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { datasetVersionPath } from "../addresses";
import { listItems } from "../api";
import { refOf } from "../dataset-actions";
import { itemsKey, labelsQuery } from "../queries";
import type { DatasetVersionView, DatasetView } from "../types";
import { countOf, NOTHING, toggled } from "./choice";
import type { Choice } from "./choice";
import { ItemDrawer } from "./ItemDrawer";
import { useItemFilter } from "./item-filter";
import { ItemFilters } from "./ItemFilters";
import { ItemGrid } from "./ItemGrid";
import { ItemsBulkBar } from "./ItemsBulkBar";
import { ItemTable } from "./ItemTable";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Items.module.css";

const PAGE_SIZE = 60;

export function ItemsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const [params, changeAddress] = useAddress();
  const ref = { ...refOf(dataset), version: version.number };
  const narrowing = useItemFilter();
  const { filter, order, isNarrowed } = narrowing;
  const labels = useQuery(labelsQuery(ref));
  const byNumber = useMemo(() => new Map((labels.data?.items ?? []).map((label) => [label.number, label])), [labels.data]);
  const query = useInfiniteQuery({
    queryKey: [...itemsKey(ref), "list", filter, order],
    queryFn: ({ pageParam }) => listItems(ref, filter, { limit: PAGE_SIZE, cursor: pageParam ?? undefined, ...(order === "seq" ? {} : { sort: order }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: keepPreviousData,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const total = query.data?.pages[0]?.total ?? 0;
  const { choice, setChoice, tick } = useChoice(items.map((item) => item.seq), JSON.stringify([filter, order]));
  const view = params.get("view") === "table" ? "table" : "grid";
  const open = (seq: number | null) => changeAddress({ item: seq === null ? null : String(seq) });
  const canChange = version.work === "draft" && (version.can_annotate || dataset.permissions.includes("write"));
  const last = useLastDecision(ref);
  const canDecide = version.work === "draft" && version.can_annotate && (filter.state === "suggested" || (filter.state === undefined && ((version.states.suggested ?? 0) > 0 || last !== null)));
  const isWhole = countOf(choice, total) === 0 && Object.keys(filter).every((key) => key === "state");
  const decidedOn = choice.seqs.size > 0 && !choice.isAll ? { seqs: [...choice.seqs] } : { filter: { ...filter, state: "suggested" as const } };
  const shared = { of: ref, items, labels: byNumber, choice, onTick: canChange ? tick : undefined, onOpen: open };

  if (version.items === 0 && !isNarrowed) return <NoItems dataset={dataset} version={version} />;
  return (
    <div className={surfaces.box}>
      <ItemFilters
        of={ref}
        labels={labels.data?.items ?? []}
        states={version.states}
        total={version.items}
        narrowing={narrowing}
        extra={
          <>
            <IconButton icon={<ReloadOutlined aria-hidden spin={query.isFetching} />} label={t("common:action.refresh")} onClick={() => void query.refetch()} />
            <Segmented
              aria-label={t("items.view")}
              value={view}
              options={[
                { value: "grid", icon: <AppstoreOutlined aria-hidden />, title: t("items.grid"), label: <span className="tm-hidden">{t("items.grid")}</span> },
                { value: "table", icon: <UnorderedListOutlined aria-hidden />, title: t("items.table"), label: <span className="tm-hidden">{t("items.table")}</span> },
              ]}
              onChange={(next) => changeAddress({ view: next === "table" ? "table" : null })}
            />
          </>
        }
      />
      {canDecide && (
        <div className={styles.suggestions}>
          <SuggestionsBar of={ref} chosen={decidedOn} canDecide={(version.states.suggested ?? 0) > 0} isWhole={isWhole} onChanged={() => setChoice(NOTHING)} />
        </div>
      )}
      {countOf(choice, total) > 0 && <ItemsBulkBar of={ref} canWrite={dataset.permissions.includes("write")} choice={choice} filter={filter} total={total} onChoice={setChoice} />}
      {query.isPending && <Loading />}
      {query.isError && items.length === 0 && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && items.length === 0 && (
        <EmptyState picture="search" title={t("common:list.nothingFound")} text={t("common:list.nothingFoundText")} action={<Button onClick={narrowing.clear}>{t("common:list.clearFilters")}</Button>} />
      )}
      {items.length > 0 && (view === "grid" ? <ItemGrid {...shared} /> : <ItemTable {...shared} />)}
      {items.length > 0 && <Foot shown={items.length} total={total} isCapped={query.data?.pages[0]?.total_capped ?? false} query={query} />}
      {params.get("item") !== null && <ItemDrawer of={ref} seq={Number(params.get("item"))} labels={byNumber} filter={filter} version={version} onOpen={open} />}
    </div>
  );
}

/** What is ticked is forgotten when the list becomes another one. */
function useChoice(shown: number[], listName: string) {
  const [kept, setKept] = useState<{ list: string; choice: Choice }>({ list: listName, choice: NOTHING });
  const last = useRef<number | null>(null);
  const choice = kept.list === listName ? kept.choice : NOTHING;
  const setChoice = (next: Choice) => setKept({ list: listName, choice: next });
  const tick = (seq: number, isRange: boolean) => {
    setChoice(toggled(choice, seq, shown, isRange ? last.current : null));
    last.current = seq;
  };
  return { choice, setChoice, tick };
}

interface FootProps {
  shown: number;
  total: number;
  isCapped: boolean;
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

function Foot({ shown, total, isCapped, query }: FootProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const figures = { shown: format.number(shown), total: format.number(total) };
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{isCapped ? t("list.shownOfMany", figures) : t("list.shown", figures)}</span>
      {query.hasNextPage && (
        <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("list.more")}
        </Button>
      )}
    </div>
  );
}

function NoItems({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const navigate = useNavigate();
  const canImport = dataset.permissions.includes("write") && version.work === "draft";
  const ref = { ...refOf(dataset), version: version.number };
  return (
    <EmptyState
      title={t("items.none")}
      text={canImport ? t("items.noneText") : undefined}
      action={
        canImport && (
          <Button type="primary" icon={<CloudUploadOutlined aria-hidden />} onClick={() => void navigate(datasetVersionPath(ref, "import"))}>
            {t("import.action")}
          </Button>
        )
      }
    />
  );
}
