/** The versions of a dataset: the newest five, the rest on demand. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { PlusOutlined } from "@ant-design/icons";
import { Button, Progress } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { datasetVersionPath } from "../addresses";
import { createDatasetVersion, listDatasetVersions } from "../api";
import { refOf } from "../dataset-actions";
import { newestVersionsQuery, olderVersionsKey, useDatasetRefresh } from "../queries";
import type { DatasetVersionView, DatasetView } from "../types";
import { useVersionActions } from "./version-actions";
import { WorkBadge } from "./WorkBadge";
import styles from "../Datasets.module.css";

const MORE = 20;

export function VersionsTab({ dataset }: { dataset: DatasetView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const ref = refOf(dataset);
  const [isOpen, setOpen] = useState(false);
  const newest = useQuery(newestVersionsQuery(ref));
  const from = newest.data?.next ?? null;
  const older = useInfiniteQuery({
    queryKey: [...olderVersionsKey(ref), from],
    queryFn: ({ pageParam }) => listDatasetVersions(ref, { limit: MORE, cursor: pageParam ?? undefined }),
    initialPageParam: from,
    getNextPageParam: (page) => page.next ?? null,
    enabled: isOpen && from !== null,
  });
  if (newest.isPending) return <Loading />;
  if (newest.isError) return <ErrorState error={newest.error} onRetry={() => void newest.refetch()} />;
  if (newest.data.items.length === 0) return <FirstVersion dataset={dataset} />;
  const versions = [...newest.data.items, ...(older.data?.pages.flatMap((page) => page.items) ?? [])];
  const left = newest.data.total - versions.length;
  return (
    <div className={styles.versions}>
      <ul className={styles.list} aria-label={t("tab.versions")}>
        {versions.map((version) => (
          <VersionRow key={version.id} dataset={dataset} version={version} />
        ))}
      </ul>
      {left > 0 && from !== null && (
        <div className={styles.more}>
          <Button loading={older.isFetching} onClick={() => (isOpen ? void older.fetchNextPage() : setOpen(true))}>
            {t("showOlder", { count: left })}
          </Button>
        </div>
      )}
    </div>
  );
}

function VersionRow({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const ref = { ...refOf(dataset), version: version.number };
  const { actions, dialog } = useVersionActions(dataset, version);
  return (
    <li className={styles.version}>
      <div className={styles.versionMain}>
        <span className={styles.versionName}>
          <Link to={datasetVersionPath(ref)}>{t("versionNumber", { number: version.number })}</Link>
          <WorkBadge work={version.work} />
        </span>
        <span className={styles.versionFacts}>
          <span>{t("itemCount", { count: version.items, number: format.number(version.items) })}</span>
          <span>{format.bytes(version.size_bytes)}</span>
          <span>{t("madeBy", { name: version.created_by })}</span>
          <RelativeTime at={version.created_at} />
        </span>
        {version.note && <span className={styles.note}>{version.note}</span>}
      </div>
      {version.items > 0 && <Progress className={styles.versionProgress} size="small" percent={Math.floor(version.progress)} aria-label={t("progressOf", { name: version.name })} />}
      <div className={styles.versionActions}>
        <ActionButtons actions={actions} shown={1} />
      </div>
      {dialog}
    </li>
  );
}

function FirstVersion({ dataset }: { dataset: DatasetView }) {
  const { t } = useTranslation("datasets");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      const made = await createDatasetVersion(refOf(dataset), "");
      await navigate(datasetVersionPath({ ...refOf(dataset), version: made.number }));
      await refresh.dataset(refOf(dataset));
    } catch (error) {
      notify.failed(error);
      setBusy(false);
    }
  };
  return (
    <EmptyState
      title={t("first.title")}
      text={t("first.text")}
      action={
        dataset.permissions.includes("write") && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} loading={isBusy} onClick={() => void start()}>
            {t("first.action")}
          </Button>
        )
      }
    />
  );
}
