/** The lines of a log that match, each a way to its place in the log. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Skeleton } from "antd";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { searchLogs } from "../api";
import { workloadsKey } from "../queries";
import type { LogLine, WorkloadRef } from "../types";
import { PLAIN } from "./ansi";
import type { LogWanted } from "./LogSearchBar";
import { LogText } from "./LogText";
import styles from "./Logs.module.css";

const LIMIT = 200;

interface LogFoundProps {
  workload: WorkloadRef;
  node: number;
  attempt: number | null;
  wanted: LogWanted;
  onOpen: (line: LogLine) => void;
}

export function LogFound({ workload, node, attempt, wanted, onOpen }: LogFoundProps) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const { q, since, until } = wanted;
  const found = useInfiniteQuery({
    queryKey: [...workloadsKey, "one", workload.id, "logs", node, attempt, wanted],
    queryFn: ({ pageParam, signal }) => searchLogs(workload, { node, attempt: attempt ?? undefined, q: q || undefined, since, until, limit: LIMIT, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
  });
  // The server looks through a long log piece by piece; as long as nothing was found it is asked to go on.
  const lines = found.data?.pages.flatMap((page) => page.items) ?? [];
  const isLooking = found.isPending || (lines.length === 0 && found.hasNextPage && !found.isError);
  const { fetchNextPage } = found;
  const mustGoOn = isLooking && !found.isFetching;
  useEffect(() => {
    if (mustGoOn) void fetchNextPage();
  }, [mustGoOn, fetchNextPage]);
  if (isLooking) return <Skeleton className={styles.padded} active />;
  if (found.isError && lines.length === 0) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (lines.length === 0) return <EmptyState picture="search" title={t("logs.nothingFound")} text={t("logs.nothingFoundText")} />;
  return (
    <div className={styles.found}>
      <p className="tm-muted">{t("logs.found", { count: lines.length, lines: format.number(lines.length) })}</p>
      <ol>
        {lines.map((line) => (
          <li key={line.offset}>
            <button type="button" title={t("logs.open")} onClick={() => onOpen(line)}>
              {line.at && <time dateTime={line.at}>{format.dateTime(line.at)}</time>}
              <LogText text={line.text} style={PLAIN} mark={q} />
            </button>
          </li>
        ))}
      </ol>
      {found.hasNextPage && (
        <Button size="small" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t("logs.more")}
        </Button>
      )}
    </div>
  );
}
