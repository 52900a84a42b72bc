/** The revisions an item's annotations went through; any of them can be looked at and brought back. */
import { EyeOutlined, RollbackOutlined } from "@ant-design/icons";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Annotation } from "@/features/annotate/model/types";
import { useConfirm } from "@/ui/confirm";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { listHistory, restoreRevision } from "../api";
import { itemsKey, useDatasetRefresh } from "../queries";
import type { DatasetVersionRef, ItemView, RevisionView } from "../types";
import { ItemStateBadge } from "./ItemStateBadge";
import styles from "./Items.module.css";

interface ItemHistoryProps {
  of: DatasetVersionRef;
  item: ItemView;
  canRestore: boolean;
  onLook: (annotations: Annotation[] | null) => void;
}

export function ItemHistory({ of, item, canRestore, onLook }: ItemHistoryProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const [looked, setLooked] = useState<number | null>(null);
  const history = useInfiniteQuery({
    queryKey: [...itemsKey(of), "history", item.seq, item.revision],
    queryFn: ({ pageParam }) => listHistory(of, item.seq, pageParam ?? undefined),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next ?? null,
  });
  if (history.isPending) return <Loading />;
  if (history.isError) return <ErrorState error={history.error} onRetry={() => void history.refetch()} />;
  const revisions = history.data.pages.flatMap((page) => page.items);
  if (revisions.length === 0) return <EmptyState title={t("items.noHistory")} />;
  const look = (revision: RevisionView) => {
    const isSame = looked === revision.id;
    setLooked(isSame ? null : revision.id);
    onLook(isSame ? null : ((revision.annotations ?? []) as Annotation[]));
  };
  return (
    <>
      <ol className={styles.history}>
        {revisions.map((revision) => (
          <Revision key={revision.id} of={of} item={item} revision={revision} isLooked={looked === revision.id} canRestore={canRestore} onLook={() => look(revision)} />
        ))}
      </ol>
      {history.hasNextPage && (
        <Button size="small" loading={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          {t("common:list.more")}
        </Button>
      )}
    </>
  );
}

interface RevisionProps {
  of: DatasetVersionRef;
  item: ItemView;
  revision: RevisionView;
  isLooked: boolean;
  canRestore: boolean;
  onLook: () => void;
}

function Revision({ of, item, revision, isLooked, canRestore, onLook }: RevisionProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const isCurrent = revision.id === item.revision;
  const restore = () =>
    confirm({
      title: t("items.restoreTitle"),
      text: t("items.restoreText", { at: format.dateTime(revision.at), count: revision.annotations_count }),
      okText: t("items.restore"),
      isDanger: false,
      onConfirm: async () => {
        await restoreRevision(of, item.seq, revision.id, item.revision);
        await refresh.version(of);
        notify.done(t("items.restored"));
      },
    });
  return (
    <li>
      <div className={styles.revision}>
        <span>
          <strong>{revision.author ?? t("items.somebody")}</strong> {t(`reason.${revision.reason}`)}
        </span>
        <span className="tm-muted">
          {format.dateTime(revision.at)} · {t("items.annotationCount", { count: revision.annotations_count })}
        </span>
      </div>
      <ItemStateBadge state={revision.state} />
      <span className={styles.revisionActions}>
        <Button size="small" icon={<EyeOutlined aria-hidden />} aria-pressed={isLooked} type={isLooked ? "primary" : "default"} onClick={onLook}>
          {t("items.look")}
        </Button>
        {isCurrent ? (
          <span className="tm-muted">{t("items.current")}</span>
        ) : (
          canRestore && (
            <Button size="small" icon={<RollbackOutlined aria-hidden />} onClick={restore}>
              {t("items.restore")}
            </Button>
          )
        )}
      </span>
    </li>
  );
}
