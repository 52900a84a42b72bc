/** Deleted things of a project, for thirty days. */
import { ClearOutlined, DeleteOutlined, RollbackOutlined } from "@ant-design/icons";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { isFailure } from "@/api/failure";
import { isUnfinished, useJobs, useTrackJob } from "@/features/activity/jobs";
import { JobBadge, JobProgress } from "@/features/activity/JobState";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import { ListPage } from "@/ui/list/ListPage";
import type { BulkAction, ListColumn, ListFilter, RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { BIN_KINDS, binKey, emptyBin, listBin, purgeEntry, restoreEntry } from "./bin";
import type { BinView } from "./bin";
import styles from "./Bin.module.css";

export default function BinPage() {
  const { t } = useTranslation(["bin", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "bin.write");
  const actions = useBinActions(project);
  const filters = useMemo<ListFilter[]>(() => [{ kind: "select", key: "kind", label: t("kindLabel"), options: BIN_KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) })) }], [t]);
  // Asked for by itself: the list may be narrowed to nothing while the bin is not empty.
  const first = useQuery({ queryKey: [...binKey(project), "first"], queryFn: () => listBin(project, { limit: 1, filters: {} }) });
  const hasAny = (first.data?.items.length ?? 0) > 0;
  const empty = canWrite && hasAny && (
    <Button danger icon={<ClearOutlined aria-hidden />} onClick={actions.empty}>
      {t("empty.action")}
    </Button>
  );
  return (
    <>
      <EmptyingJob project={project} />
      <ListPage<BinView>
        listKey="bin"
        queryKey={binKey(project)}
        load={(query) => listBin(project, query)}
        title={t("title")}
        description={t("about")}
        primaryAction={empty}
        columns={useColumns()}
        keyOf={(entry) => entry.id}
        nameOf={(entry) => entry.name}
        filters={filters}
        defaultSort="-deleted_at"
        rowActions={canWrite ? actions.rowActions : undefined}
        bulkActions={canWrite ? actions.bulkActions : undefined}
        empty={{ title: t("none"), text: t("noneText") }}
      />
      {actions.dialog}
    </>
  );
}

function useColumns(): ListColumn<BinView>[] {
  const { t } = useTranslation(["bin", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (entry) => entry.name },
    { key: "kind", title: t("kindLabel"), render: (entry) => t(`kind.${entry.kind}`) },
    { key: "size", title: t("size"), sort: "size_bytes", align: "right", render: (entry) => format.bytes(entry.size_bytes) },
    { key: "by", title: t("deletedBy"), render: (entry) => entry.deleted_by },
    { key: "at", title: t("deletedAt"), sort: "deleted_at", render: (entry) => <RelativeTime at={entry.deleted_at} /> },
    { key: "left", title: t("left"), render: (entry) => <DaysLeft at={entry.purge_at} /> },
  ];
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 3;

function DaysLeft({ at }: { at: string }) {
  const { t } = useTranslation(["bin", "common"]);
  const format = useFormat();
  const days = Math.max(0, Math.ceil((new Date(at).getTime() - useNow()) / DAY_MS));
  return (
    <span className={styles.days} data-soon={days <= SOON_DAYS || undefined} title={format.dateTime(at)}>
      {t("days", { count: days })}
    </span>
  );
}

function useBinActions(project: string) {
  const { t } = useTranslation(["bin", "common"]);
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const navigate = useNavigate();
  const track = useTrackJob();
  const [clash, setClash] = useState<BinView | null>(null);

  const changed = () => Promise.all([client.invalidateQueries({ queryKey: binKey(project) }), client.invalidateQueries({ queryKey: ["assets"] })]);
  const restore = async (entry: BinView, name?: string) => {
    const { link } = await restoreEntry(project, entry.id, name);
    await changed();
    notify.doneWithLink(t("restore.done", { name: name ?? entry.name }), { label: t("restore.open"), onClick: () => void navigate(link) });
  };
  const tryRestore = (entry: BinView) =>
    restore(entry).catch((error: unknown) => {
      if (isFailure(error, "restore_name_taken")) setClash(entry);
      else notify.failed(error);
    });
  const rowActions = (entry: BinView): RowAction[] => [
    { key: "restore", label: t("restore.action"), icon: <RollbackOutlined aria-hidden />, onClick: () => void tryRestore(entry) },
    {
      key: "purge",
      label: t("purge.action"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      onClick: () =>
        confirm({
          title: t("purge.title", { name: entry.name }),
          text: t("purge.text"),
          okText: t("purge.action"),
          onConfirm: async () => {
            await purgeEntry(project, entry.id);
            await changed();
            notify.done(t("purge.done", { name: entry.name }));
          },
        }),
    },
  ];
  const bulkActions: BulkAction<BinView>[] = [
    {
      key: "restore",
      label: t("restore.action"),
      icon: <RollbackOutlined aria-hidden />,
      confirmTitle: (rows) => t("restore.many", { count: rows.length }),
      run: (entry) => restoreEntry(project, entry.id),
    },
    {
      key: "purge",
      label: t("purge.action"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      confirmTitle: (rows) => t("purge.many", { count: rows.length }),
      run: (entry) => purgeEntry(project, entry.id),
    },
  ];
  const empty = () =>
    confirm({
      title: t("empty.title"),
      text: t("empty.text"),
      okText: t("empty.action"),
      typeName: project,
      onConfirm: async () => {
        track(await emptyBin(project));
        await changed();
      },
    });
  const dialog = clash && (
    <FormModal<{ name: string }>
      title={t("restore.clashTitle")}
      submitText={t("restore.action")}
      initialValues={{ name: clash.name }}
      onSubmit={({ name }) => restore(clash, name)}
      onClose={() => setClash(null)}
    >
      <p style={{ marginBottom: 16 }}>{t("restore.clashText", { name: clash.name })}</p>
      <NameField />
    </FormModal>
  );
  return { rowActions, bulkActions, empty, dialog };
}

/** The emptying under way, if there is one; the list is read again while it goes and when it ends. */
function EmptyingJob({ project }: { project: string }) {
  const client = useQueryClient();
  const job = (useJobs().data?.items ?? []).find((candidate) => candidate.kind === "bin_empty" && candidate.project === project);
  const isUnder = job !== undefined && isUnfinished(job);
  const done = job?.done ?? 0;
  const reread = useEffectEvent(() => void client.invalidateQueries({ queryKey: binKey(project) }));
  useEffect(() => reread(), [isUnder, done]);
  if (!isUnder) return null;
  return (
    <div className={styles.job} role="status">
      <JobBadge state={job.state} />
      <div className={styles.jobBody}>
        <span>{job.name}</span>
        <JobProgress job={job} />
      </div>
    </div>
  );
}
