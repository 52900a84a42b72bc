/** One import: how far it is, what came of it, and its report line by line. */
import { AppstoreOutlined, CloudUploadOutlined, DeleteOutlined, DownloadOutlined, StopOutlined } from "@ant-design/icons";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Dropdown, Table, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { usePollInterval } from "@/features/activity/live-events";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { ThingPage } from "@/ui/ThingPage";
import { datasetVersionPath, versionApi } from "../addresses";
import { useDatasetRefresh, versionKey } from "../queries";
import type { DatasetVersionRef, ImportView, NoteView } from "../types";
import { createImport, deleteImport, getImport, listImportNotes, stopImport } from "../works/api";
import { isUnderWay, worksKey } from "../works/news";
import { lookInterval, useFormatTitle, useWhenEnded } from "../works/queries";
import { WorkProgress, WorkState } from "../works/WorkProgress";
import { findBody, keepBody } from "./kept-bodies";
import { useSourceText } from "./source-text";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../works/Works.module.css";

export default function ImportPage() {
  const { t } = useTranslation("datasets");
  const { dataset = "", version = "", work = "" } = useParams();
  const project = useProjectName();
  const client = useQueryClient();
  const sourceText = useSourceText();
  const titleOf = useFormatTitle();
  const isTold = usePollInterval() === false;
  const ref = { project, dataset, version: Number(version) };
  const query = useQuery({
    queryKey: [...worksKey(ref, "imports"), work],
    queryFn: () => getImport(ref, work),
    refetchInterval: ({ state }) => lookInterval(state.data ? [state.data] : [], isTold),
  });
  useWhenEnded(query.data ? [query.data] : [], () => void client.invalidateQueries({ queryKey: versionKey(ref) }));
  return (
    <ThingPage<ImportView>
      query={query}
      render={(found) => ({
        name: t("imports.one", { source: sourceText(found.source) }),
        id: found.id,
        badge: (
          <>
            <WorkState state={found.state} />
            {found.dry_run && <Tag>{t("imports.dryRun")}</Tag>}
          </>
        ),
        facts: (
          <>
            <Link to={datasetVersionPath(ref)}>{`${dataset}@${version}`}</Link>
            {titleOf(found.format) && <span>{t("imports.asFormat", { format: titleOf(found.format) })}</span>}
            <span>{found.created_by}</span>
            <RelativeTime at={found.created_at} />
          </>
        ),
        actions: <Actions of={ref} work={found} />,
        banner: (
          <>
            {isUnderWay(found) && <WorkProgress work={found} />}
            {found.error && <Alert type="error" showIcon style={{ marginBottom: 16 }} title={[found.error.path, found.error.message].filter(Boolean).join(": ")} description={found.error.hint} />}
            {found.dry_run && found.state === "done" && <Alert type="info" showIcon style={{ marginBottom: 16 }} title={t("imports.wasTrial")} />}
            <Counts work={found} />
          </>
        ),
        tabs: [{ key: "report", label: t("imports.report"), content: <Report of={ref} work={found} /> }],
      })}
    />
  );
}

function Actions({ of, work }: { of: DatasetVersionRef; work: ImportView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const canWrite = useProjectPermission(of.project, "dataset.write");
  const report = `${versionApi(of)}/imports/${work.id}/report`;
  const body = findBody(work.id);
  const stop = () =>
    confirm({
      title: t("imports.stopTitle"),
      text: t("imports.stopText"),
      okText: t("works.stop"),
      onConfirm: async () => {
        await stopImport(of, work.id);
        await refresh.version(of);
      },
    });
  const forget = () =>
    confirm({
      title: t("imports.forgetTitle"),
      text: t("imports.forgetText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteImport(of, work.id);
        await navigate(`${datasetVersionPath(of)}?tab=imports`, { replace: true, flushSync: true });
        await refresh.version(of);
      },
    });
  const importNow = async () => {
    if (!body) return navigate(datasetVersionPath(of, "import"));
    try {
      const whole = { ...body, dry_run: false };
      const made = await createImport(of, whole);
      keepBody(made, whole);
      await navigate(datasetVersionPath(of, "imports", made.id));
    } catch (error) {
      notify.failed(error);
    }
  };
  return (
    <>
      {canWrite && work.dry_run && work.state === "done" && (
        <Button type="primary" icon={<CloudUploadOutlined aria-hidden />} onClick={() => void importNow()}>
          {t("imports.now")}
        </Button>
      )}
      {!work.dry_run && work.state === "done" && (
        <Button type="primary" icon={<AppstoreOutlined aria-hidden />} onClick={() => void navigate(datasetVersionPath(of))}>
          {t("imports.show")}
        </Button>
      )}
      <Dropdown trigger={["click"]} menu={{ items: (["csv", "jsonl"] as const).map((format) => ({ key: format, label: <a href={`${report}?format=${format}`}>{t(`imports.reportAs.${format}`)}</a> })) }}>
        <Button icon={<DownloadOutlined aria-hidden />}>{t("imports.report")}</Button>
      </Dropdown>
      {canWrite && isUnderWay(work) && (
        <Button danger icon={<StopOutlined aria-hidden />} onClick={stop}>
          {t("works.stop")}
        </Button>
      )}
      {canWrite && !isUnderWay(work) && (
        <Button danger icon={<DeleteOutlined aria-hidden />} onClick={forget}>
          {t("common:action.delete")}
        </Button>
      )}
    </>
  );
}

const COUNTS = ["added", "annotated", "unchanged", "present", "different", "skipped", "refused", "labels", "annotations"] as const;

function Counts({ work }: { work: ImportView }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const shown = COUNTS.filter((key) => typeof work.counts[key] === "number" && (work.counts[key] > 0 || key === "added"));
  if (shown.length === 0) return null;
  return (
    <div className={styles.counts}>
      {shown.map((key) => (
        <div key={key} className={styles.count}>
          <span>{t(`imports.count.${key}`)}</span>
          <strong>{format.number(Number(work.counts[key]))}</strong>
        </div>
      ))}
    </div>
  );
}

function Report({ of, work }: { of: DatasetVersionRef; work: ImportView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const notes = useInfiniteQuery({
    queryKey: [...worksKey(of, "imports"), work.id, "notes", work.notes],
    queryFn: ({ pageParam }) => listImportNotes(of, work.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: (previous) => previous,
  });
  if (notes.isPending) return <Loading />;
  if (notes.isError) return <ErrorState error={notes.error} onRetry={() => void notes.refetch()} />;
  const lines = notes.data.pages.flatMap((page) => page.items).map((line, index) => ({ ...line, index }));
  if (lines.length === 0) return <EmptyState title={isUnderWay(work) ? t("imports.noLinesYet") : t("imports.noLines")} />;
  return (
    <div className={surfaces.box}>
      <TableBox label={t("imports.report")}>
        <Table<NoteView & { index: number }>
          size="small"
          rowKey="index"
          dataSource={lines}
          pagination={false}
          columns={[
            { key: "level", title: t("imports.level"), width: 110, render: (_, line) => <Tag color={line.level === "skipped" ? "warning" : "default"}>{levelText(line.level)}</Tag> },
            { key: "path", title: t("imports.file"), render: (_, line) => <code className={styles.path}>{`${line.path}${line.line === null ? "" : `:${line.line}`}`}</code> },
            { key: "message", title: t("imports.message"), render: (_, line) => <div className={styles.message}>{line.message}</div> },
          ]}
        />
      </TableBox>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        <span className="tm-muted">{t("common:list.shown", { shown: format.number(lines.length), total: format.number(work.notes) })}</span>
        {notes.hasNextPage && (
          <Button size="small" loading={notes.isFetchingNextPage} onClick={() => void notes.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        )}
      </div>
    </div>
  );

  function levelText(level: string): string {
    return level === "skipped" || level === "changed" || level === "info" ? t(`imports.levels.${level}`) : level;
  }
}
