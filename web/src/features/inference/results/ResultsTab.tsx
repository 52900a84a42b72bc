/** What a run found: pictures with what was predicted drawn on them, or a table; narrowed by label, score and path. */
import { AppstoreOutlined, UnorderedListOutlined } from "@ant-design/icons";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Button, Input, Segmented, Select, Slider } from "antd";
import { useTranslation } from "react-i18next";
import { canStop, isEnded } from "@/features/workloads/states";
import { useFormat } from "@/lib/format";
import { useAddress } from "@/ui/address";
import type { AddressChanges } from "@/ui/address";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { listResults } from "../api";
import type { InferenceRunRef } from "../api";
import { resultsKey } from "../queries";
import type { InferenceRun } from "../types";
import { isNarrowed, readFilter } from "./result";
import type { ResultFilter } from "./result";
import { ResultDrawer } from "./ResultDrawer";
import { ResultGrid } from "./ResultGrid";
import { ResultTable } from "./ResultTable";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../Inference.module.css";

const PAGE = 48;
const LIVE_MS = 3_000;

interface ResultsTabProps {
  at: InferenceRunRef;
  run: InferenceRun;
  /** Only what could not be looked at. */
  isErrors?: boolean;
}

export function ResultsTab({ at, run, isErrors = false }: ResultsTabProps) {
  const { t } = useTranslation(["inference", "common"]);
  const [params, change] = useAddress();
  const filter = readFilter(params);
  const isTable = isErrors || params.get("view") === "table";
  const found = useInfiniteQuery({
    // What the last look before the end missed is read once more after it.
    queryKey: [...resultsKey(at), { ...filter, isErrors }, isEnded(run.state)],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => listResults(at, { ...filter, errors: isErrors, limit: PAGE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    // Only the first page grows before one's eyes; who has read on is left alone.
    refetchInterval: ({ state }) => (!isEnded(run.state) && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const results = found.data.pages.flatMap((page) => page.items);
  const [first] = found.data.pages;
  if (results.length === 0 && !isNarrowed(filter) && !found.hasNextPage) {
    return isErrors ? <EmptyState title={t("results.noErrors")} text={t("results.noErrorsText")} /> : <NoResults state={run.state} />;
  }
  const open = results.findIndex((one) => String(one.seq) === params.get("item"));
  const shown = { run, results, onOpen: (seq: number) => change({ item: String(seq) }) };
  return (
    <div className={surfaces.box}>
      <Filters run={run} filter={filter} isTable={isTable} isErrors={isErrors} total={first?.total ?? 0} isCapped={first?.total_capped ?? false} onChange={change} />
      {results.length === 0 ? (
        <EmptyState
          picture="search"
          title={t("common:list.nothingFound")}
          text={t("common:list.nothingFoundText")}
          action={<Button onClick={() => change({ label: null, min: null, max: null, q: null })}>{t("common:list.clearFilters")}</Button>}
        />
      ) : isTable ? (
        <ResultTable {...shown} isErrors={isErrors} />
      ) : (
        <ResultGrid {...shown} />
      )}
      {found.hasNextPage && (
        <div className={styles.rest}>
          <Button size="small" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        </div>
      )}
      {open >= 0 && <ResultDrawer run={run} results={results} at={open} onOpen={(to) => change({ item: to === null ? null : String(results[to]?.seq ?? "") })} />}
    </div>
  );
}

/** Why there is nothing: each state has its own words. */
function NoResults({ state }: Pick<InferenceRun, "state">) {
  const { t } = useTranslation("inference");
  return <EmptyState title={t(canStop(state) ? "results.notYet" : "results.none")} text={t(`results.whyNone.${state}`)} />;
}

interface FiltersProps {
  run: InferenceRun;
  filter: ResultFilter;
  isTable: boolean;
  isErrors: boolean;
  total: number;
  isCapped: boolean;
  onChange: (changes: AddressChanges) => void;
}

function Filters({ run, filter, isTable, isErrors, total, isCapped, onChange }: FiltersProps) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const figure = format.number(total);
  return (
    <div className={surfaces.tools}>
      <Input.Search
        key={filter.q ?? ""}
        allowClear
        className={styles.search}
        defaultValue={filter.q}
        placeholder={t("results.find")}
        aria-label={t("results.find")}
        onSearch={(q) => onChange({ q: q.trim() || null, item: null })}
      />
      {!isErrors && (
        <>
          {run.classes.length > 0 && (
            <Select
              className={styles.select}
              allowClear
              showSearch={{ optionFilterProp: "value" }}
              aria-label={t("results.label")}
              placeholder={t("results.label")}
              value={filter.label}
              options={run.classes.map((one) => ({ value: one.label, label: t("results.labelOption", { label: one.label, number: format.number(one.items) }) }))}
              onChange={(label?: string) => onChange({ label: label ?? null, item: null })}
            />
          )}
          <ScoreRange filter={filter} onChange={onChange} />
          <Select
            className={styles.select}
            aria-label={t("results.sort")}
            value={filter.sort ?? "seq"}
            options={(["seq", "-score", "score"] as const).map((value) => ({ value, label: t(`results.sorts.${value}`) }))}
            onChange={(sort) => onChange({ sort: sort === "seq" ? null : sort, item: null })}
          />
        </>
      )}
      <span className={styles.end}>
        <span aria-live="polite">{isCapped ? t("results.countMany", { number: figure }) : t("results.count", { count: total, number: figure })}</span>
        {!isErrors && (
          <Segmented
            aria-label={t("results.view")}
            value={isTable ? "table" : "grid"}
            options={[
              { value: "grid", icon: <AppstoreOutlined aria-hidden />, title: t("results.grid"), label: <span className="tm-hidden">{t("results.grid")}</span> },
              { value: "table", icon: <UnorderedListOutlined aria-hidden />, title: t("results.table"), label: <span className="tm-hidden">{t("results.table")}</span> },
            ]}
            onChange={(view) => onChange({ view: view === "table" ? "table" : null })}
          />
        )}
      </span>
    </div>
  );
}

function ScoreRange({ filter, onChange }: { filter: ResultFilter; onChange: (changes: AddressChanges) => void }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const from = Math.round((filter.min_score ?? 0) * 100);
  const to = Math.round((filter.max_score ?? 1) * 100);
  return (
    <span className={styles.range}>
      <span className="tm-muted">{t("results.score")}</span>
      <Slider
        key={`${from} ${to}`}
        range
        min={0}
        max={100}
        step={5}
        defaultValue={[from, to]}
        ariaLabelForHandle={[t("results.scoreFrom"), t("results.scoreTo")]}
        tooltip={{ formatter: (value) => format.percent((value ?? 0) / 100) }}
        onChangeComplete={([low = 0, high = 100]) => onChange({ min: low > 0 ? String(low / 100) : null, max: high < 100 ? String(high / 100) : null, item: null })}
      />
    </span>
  );
}
