/** What came into this version, and what is coming in. */
import { CloudUploadOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useUploads } from "@/features/files/upload/uploads";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { RelativeTime } from "@/ui/RelativeTime";
import { datasetVersionPath } from "../addresses";
import { refOf } from "../dataset-actions";
import type { DatasetVersionView, DatasetView, ImportView } from "../types";
import { listImports } from "../works/api";
import { useFormatTitle, useWorks } from "../works/queries";
import { WorkProgress, WorkState } from "../works/WorkProgress";
import { useSourceText } from "./source-text";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../works/Works.module.css";

export function ImportsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const navigate = useNavigate();
  const ref = { ...refOf(dataset), version: version.number };
  const { query, works } = useWorks(ref, "imports", (page) => listImports(ref, page));
  const sending = useUploads().filter((upload) => upload.place.link === `${datasetVersionPath(ref)}?tab=imports` && upload.state !== "finished");
  const canImport = dataset.permissions.includes("write") && version.work === "draft";
  const start = canImport && (
    <Button type="primary" icon={<CloudUploadOutlined aria-hidden />} onClick={() => void navigate(datasetVersionPath(ref, "import"))}>
      {t("import.action")}
    </Button>
  );
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (works.length === 0 && sending.length === 0) return <EmptyState title={t("imports.none")} text={canImport ? t("items.noneText") : undefined} action={start} />;
  return (
    <div className={surfaces.box}>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        <span className="tm-muted">{t("imports.about")}</span>
        {start}
      </div>
      <ul className={styles.list} aria-label={t("tab.imports")}>
        {sending.map((upload) => (
          <li key={upload.id} className={styles.work}>
            <WorkState state="running" />
            <div className={styles.main}>{t("imports.uploading", { count: upload.files })}</div>
          </li>
        ))}
        {works.map((work) => (
          <ImportRow key={work.id} work={work} link={datasetVersionPath(ref, "imports", work.id)} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className={styles.more}>
          <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        </div>
      )}
    </div>
  );
}

function ImportRow({ work, link }: { work: ImportView; link: string }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const sourceText = useSourceText();
  const title = useFormatTitle()(work.format);
  const added = Number(work.counts.added ?? 0);
  return (
    <li className={styles.work}>
      <WorkState state={work.state} />
      <div className={styles.main}>
        <span className={styles.name}>
          <Link to={link}>{sourceText(work.source)}</Link>
          {work.dry_run && <Tag>{t("imports.dryRun")}</Tag>}
        </span>
        <span className={styles.facts}>
          {title && <span>{title}</span>}
          {added > 0 && <span>{t(work.dry_run ? "imports.wouldAdd" : "imports.added", { count: added, number: format.number(added) })}</span>}
          {work.notes > 0 && <span>{t("imports.noteCount", { count: work.notes, number: format.number(work.notes) })}</span>}
          <span>{work.created_by}</span>
          <RelativeTime at={work.created_at} />
        </span>
        <WorkProgress work={work} />
      </div>
    </li>
  );
}
