import { Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/ui/ErrorState";
import { useSession, useSessionState } from "../session/use-session";
import styles from "../Workbench.module.css";

/** A text, large enough to read all day. */
export function TextView() {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const item = useSessionState((state) => state.doc?.item ?? null);
  const query = useQuery({
    queryKey: ["annotate", "text", item?.digest],
    queryFn: async () => (await session.api.content(item?.seq ?? 0)).text(),
    enabled: item !== null,
    staleTime: Infinity,
  });
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton active className={styles.reading} />;
  return (
    <article className={styles.reading} aria-label={t("textOf", { name: item?.path })} data-testid="text">
      {query.data}
    </article>
  );
}

/** A row of a table: its columns one below the other. */
export function RowView() {
  const session = useSession();
  const item = useSessionState((state) => state.doc?.item ?? null);
  const query = useQuery({
    queryKey: ["annotate", "row", item?.digest],
    queryFn: async () => JSON.parse(await (await session.api.content(item?.seq ?? 0)).text()) as Record<string, unknown>,
    enabled: item !== null,
    staleTime: Infinity,
  });
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton active className={styles.reading} />;
  return (
    <dl className={styles.row}>
      {Object.entries(query.data).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
