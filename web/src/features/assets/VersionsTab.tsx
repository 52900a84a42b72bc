/** All versions of an asset, and what differs between two of them. */
import { Button, Tag } from "antd";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { ListPage } from "@/ui/list/ListPage";
import { withChanges } from "@/ui/address";
import type { ListColumn } from "@/ui/list/types";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { versionPath } from "./addresses";
import { compareVersions, listVersions } from "./api";
import { refOf } from "./asset-actions";
import { versionsKey } from "./queries";
import { useOriginText } from "./texts";
import type { AssetView, ChangeView, VersionView } from "./types";
import { VersionBadge } from "./VersionBadge";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Assets.module.css";

const TONES: Record<ChangeView["change"], string> = { added: "success", removed: "error", changed: "warning" };

export function VersionsTab({ asset, current }: { asset: AssetView; current: VersionView }) {
  const { t } = useTranslation(["assets", "common"]);
  const [params, setParams] = useSearchParams();
  const other = Number(params.get("compare") ?? 0);
  const setOther = (number: number | null) => setParams((old) => withChanges(old, { compare: number === null ? null : String(number) }));
  const ref = refOf(asset);
  return (
    <>
      <ListPage<VersionView>
        listKey={`versions.${ref.kind}`}
        queryKey={versionsKey(ref)}
        load={(query) => listVersions(ref, query)}
        columns={useColumns(asset)}
        keyOf={(version) => version.id}
        nameOf={(version) => version.name}
        searchLabel={t("versions.search")}
        defaultSort="-number"
        rowActions={(version) => [
          {
            key: "compare",
            label: t("versions.compareWith", { number: current.number }),
            disabledReason: version.number === current.number ? t("versions.same") : undefined,
            onClick: () => setOther(version.number),
          },
        ]}
        empty={{ title: t("start.none") }}
      />
      {other > 0 && other !== current.number && <Comparison asset={asset} current={current} other={other} onClose={() => setOther(null)} />}
    </>
  );
}

function useColumns(asset: AssetView): ListColumn<VersionView>[] {
  const { t } = useTranslation(["assets", "common"]);
  const format = useFormat();
  const originText = useOriginText();
  const ref = refOf(asset);
  return [
    {
      key: "number",
      title: t("versions.version"),
      sort: "number",
      render: (version) => <Link to={versionPath({ ...ref, version: version.number })}>{t("versionNumber", { number: version.number })}</Link>,
    },
    { key: "state", title: t("common:field.state"), render: (version) => <VersionBadge state={version.state} /> },
    { key: "note", title: t("note.label"), render: (version) => version.note || <span className="tm-muted">–</span> },
    { key: "origin", title: t("overview.origin"), render: (version) => originText(version.origin) },
    { key: "format", title: t("facts.format"), isHidden: asset.kind !== "model", render: (version) => version.format ?? <span className="tm-muted">–</span> },
    { key: "files", title: t("overview.files"), align: "right", render: (version) => format.number(version.files) },
    { key: "size", title: t("column.size"), align: "right", render: (version) => format.bytes(version.size_bytes) },
    { key: "creator", title: t("column.creator"), render: (version) => version.created_by },
    { key: "created", title: t("column.created"), render: (version) => <RelativeTime at={version.created_at} /> },
  ];
}

interface ComparisonProps {
  asset: AssetView;
  current: VersionView;
  other: number;
  onClose: () => void;
}

/** What changed from the older to the newer of two versions. */
function Comparison({ asset, current, other, onClose }: ComparisonProps) {
  const { t } = useTranslation(["assets", "common"]);
  const [from, to] = [Math.min(other, current.number), Math.max(other, current.number)];
  const ref = { ...refOf(asset), version: to };
  const changes = useInfiniteQuery({
    queryKey: [...versionsKey(ref), "compare", from, to],
    queryFn: ({ pageParam }) => compareVersions(ref, from, pageParam ?? undefined),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
  });
  const items = changes.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className={surfaces.box} style={{ marginTop: 16 }} aria-label={t("compare.title", { from, to })}>
      <div className={styles.compare}>
        <strong>{t("compare.title", { from, to })}</strong>
        <Button size="small" type="text" onClick={onClose}>
          {t("compare.close")}
        </Button>
      </div>
      {changes.isPending && <Loading />}
      {changes.isError && <ErrorState error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.isSuccess && items.length === 0 && <EmptyState title={t("compare.none")} />}
      <ul className={styles.changes}>
        {items.map((change) => (
          <Change key={change.path} change={change} />
        ))}
      </ul>
      {changes.hasNextPage && (
        <div className={styles.compare}>
          <Button size="small" loading={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        </div>
      )}
    </section>
  );
}

function Change({ change }: { change: ChangeView }) {
  const { t } = useTranslation(["assets", "common"]);
  const format = useFormat();
  const sizes = [change.old_size_bytes, change.size_bytes].filter((size) => size !== null).map((size) => format.bytes(size));
  return (
    <li className={styles.change}>
      <Tag color={TONES[change.change]}>{t(`compare.${change.change}`)}</Tag>
      <code>{change.path}</code>
      <span className="tm-muted">{sizes.join(" → ")}</span>
    </li>
  );
}
