/** Where two versions differ, item by item: what came, what went, what was changed and by whom. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button, Segmented, Select, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { datasetVersionPath } from "../addresses";
import { refOf } from "../dataset-actions";
import { newestVersionsQuery, versionKey } from "../queries";
import type { DatasetVersionView, DatasetView, ItemChange } from "../types";
import { compareItems } from "../works/api";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../works/Works.module.css";

const CHANGES = ["added", "removed", "changed"] as const;
const TONES: Record<ItemChange["change"], string> = { added: "success", removed: "error", changed: "warning" };

export function CompareTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const [params, changeAddress] = useAddress();
  const ref = { ...refOf(dataset), version: version.number };
  const versions = useQuery(newestVersionsQuery(ref));
  const others = (versions.data?.items ?? []).filter((other) => other.number !== version.number);
  const wanted = Number(params.get("with") ?? 0);
  const other = wanted > 0 && wanted !== version.number ? wanted : (others.find((one) => one.number < version.number) ?? others[0])?.number;
  const change = CHANGES.find((one) => one === params.get("change"));
  if (versions.isPending) return <Loading />;
  if (other === undefined) return <EmptyState title={t("compare.onlyOne")} />;
  const numbers = others.some((one) => one.number === other) ? others.map((one) => one.number) : [...others.map((one) => one.number), other];
  return (
    <div className={surfaces.box}>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        <span className={styles.inline}>
          {t("compare.since")}
          <Select aria-label={t("compare.with")} value={other} options={numbers.map((number) => ({ value: number, label: t("versionNumber", { number }) }))} onChange={(number) => changeAddress({ with: String(number) })} />
        </span>
      </div>
      <Changes key={other} of={ref} older={other} change={change} onChange={(next) => changeAddress({ change: next ?? null })} />
    </div>
  );
}

interface ChangesProps {
  of: { project: string; dataset: string; version: number };
  older: number;
  change: ItemChange["change"] | undefined;
  onChange: (change: ItemChange["change"] | undefined) => void;
}

function Changes({ of, older, change, onChange }: ChangesProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const query = useInfiniteQuery({
    queryKey: [...versionKey(of), "compare", older, change],
    queryFn: ({ pageParam }) => compareItems(of, older, change, pageParam ?? undefined),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const [first] = query.data.pages;
  const items = query.data.pages.flatMap((page) => page.items);
  const count = (key: ItemChange["change"]) => `${format.number(first?.[key] ?? 0)}${first?.capped ? "+" : ""}`;
  const isSame = CHANGES.every((key) => (first?.[key] ?? 0) === 0);
  if (isSame) return <EmptyState title={t("compare.none")} />;
  return (
    <>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        <Segmented<string>
          aria-label={t("compare.which")}
          value={change ?? "all"}
          options={[{ value: "all", label: t("items.all") }, ...CHANGES.map((key) => ({ value: key, label: `${t(`compare.${key}`)} ${count(key)}` }))]}
          onChange={(value) => onChange(CHANGES.find((key) => key === value))}
        />
      </div>
      <ul className={styles.list}>
        {items.map((item) => (
          <Change key={item.path} of={of} older={older} change={item} />
        ))}
      </ul>
      {items.length === 0 && <EmptyState picture="search" title={t("common:list.nothingFound")} />}
      {query.hasNextPage && (
        <div className={styles.more}>
          <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        </div>
      )}
    </>
  );
}

function Change({ of, older, change }: { of: ChangesProps["of"]; older: number; change: ItemChange }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const side = change.new ?? change.old;
  const link = side && `${datasetVersionPath({ ...of, version: change.new ? of.version : older })}?item=${side.seq}`;
  const what = [
    ...(change.content_changed ? [t("compare.content")] : []),
    ...(change.annotations_added > 0 ? [t("compare.annotationsAdded", { count: change.annotations_added })] : []),
    ...(change.annotations_removed > 0 ? [t("compare.annotationsRemoved", { count: change.annotations_removed })] : []),
    ...(change.annotations_changed > 0 ? [t("compare.annotationsChanged", { count: change.annotations_changed })] : []),
    ...(change.new && change.old && change.new.state !== change.old.state ? [`${t(`itemState.${change.old.state}`)} → ${t(`itemState.${change.new.state}`)}`] : []),
  ];
  return (
    <li className={styles.change}>
      <Tag color={TONES[change.change]}>{t(`compare.${change.change}`)}</Tag>
      <code>{link ? <Link to={link}>{change.path}</Link> : change.path}</code>
      <span>{what.join(", ")}</span>
      {change.author && (
        <span className="tm-muted">
          {change.author} {change.at && format.dateTime(change.at)}
        </span>
      )}
    </li>
  );
}
