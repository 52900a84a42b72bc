/** What was made of this version to be taken elsewhere: generating, then ready to download. */
import { DeleteOutlined, DownloadOutlined, ExportOutlined, ReloadOutlined, StopOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { versionApi } from "../addresses";
import { isItemState } from "../data-types";
import { refOf } from "../dataset-actions";
import type { DatasetVersionRef, DatasetVersionView, DatasetView, ExportView } from "../types";
import { createExport, deleteExport, listExports, stopExport } from "../works/api";
import { isUnderWay } from "../works/news";
import { useFormatTitle, useWorks } from "../works/queries";
import { WorkProgress, WorkState } from "../works/WorkProgress";
import { ExportForm } from "./ExportForm";
import { ExportNotes } from "./ExportNotes";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "../works/Works.module.css";

export function ExportsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const [params, changeAddress] = useAddress();
  const isMaking = params.has("new");
  const setMaking = (isOpen: boolean) => changeAddress({ new: isOpen ? "1" : null });
  const ref = { ...refOf(dataset), version: version.number };
  const { query, works } = useWorks(ref, "exports", (page) => listExports(ref, page));
  const canWrite = dataset.permissions.includes("write");
  const make = canWrite && version.items > 0 && (
    <Button type="primary" icon={<ExportOutlined aria-hidden />} onClick={() => setMaking(true)}>
      {t("exports.make")}
    </Button>
  );
  const form = isMaking && canWrite && version.items > 0 && <ExportForm of={ref} dataset={dataset} onMade={() => void query.refetch()} onClose={() => setMaking(false)} />;
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (works.length === 0) {
    return (
      <>
        <EmptyState title={t("exports.none")} text={version.items === 0 ? t("noItemsYet") : t("exports.noneText")} action={make} />
        {form}
      </>
    );
  }
  return (
    <div className={surfaces.box}>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        <span className="tm-muted">{t("exports.about")}</span>
        {make}
      </div>
      <ul className={styles.list} aria-label={t("tab.exports")}>
        {works.map((work) => (
          <ExportRow key={work.id} of={ref} work={work} canWrite={canWrite} onChanged={() => query.refetch()} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className={styles.more}>
          <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("common:list.more")}
          </Button>
        </div>
      )}
      {form}
    </div>
  );
}

interface ExportRowProps {
  of: DatasetVersionRef;
  work: ExportView;
  canWrite: boolean;
  onChanged: () => Promise<unknown>;
}

function ExportRow({ of, work, canWrite, onChanged }: ExportRowProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const notify = useNotify();
  const [hasNotes, setNotes] = useState(false);
  const title = useFormatTitle()(work.format) ?? work.format;
  const run = async (change: () => Promise<unknown>) => {
    try {
      await change();
      await onChanged();
    } catch (error) {
      notify.failed(error);
    }
  };
  const { format: name, with_data, options } = work;
  const again = () => run(() => createExport(of, { format: name, with_data, states: work.states?.filter(isItemState) ?? null, options, fresh: true }));
  return (
    <li className={styles.work}>
      <WorkState state={work.state} />
      <div className={styles.main}>
        <span className={styles.name}>
          {title}
          <Tag>{with_data ? t("exports.withData") : t("exports.annotationsOnly")}</Tag>
          {work.state === "ready" && !work.is_current && <Tag color="warning">{t("exports.outdated")}</Tag>}
        </span>
        <span className={styles.facts}>
          {work.size_bytes !== null && <span>{format.bytes(work.size_bytes)}</span>}
          {work.states && <span>{work.states.map((state) => t(`itemState.${state as "labelled"}`)).join(", ")}</span>}
          {work.notes > 0 && (
            <Button type="link" size="small" style={{ height: "auto", padding: 0 }} onClick={() => setNotes(true)}>
              {t("exports.notes", { count: work.notes, number: format.number(work.notes) })}
            </Button>
          )}
          <span>{work.created_by}</span>
          <RelativeTime at={work.created_at} />
        </span>
        <WorkProgress work={work} />
      </div>
      <div className={styles.actions}>
        {work.state === "ready" && (
          <Button icon={<DownloadOutlined aria-hidden />} href={`${versionApi(of)}/exports/${work.id}/file`} type={work.is_current ? "primary" : "default"}>
            {t("exports.download")}
          </Button>
        )}
        {canWrite && !isUnderWay(work) && <IconButton icon={<ReloadOutlined aria-hidden />} label={t("exports.again")} onClick={() => void again()} />}
        {canWrite && isUnderWay(work) && <IconButton danger icon={<StopOutlined aria-hidden />} label={t("works.stop")} onClick={() => void run(() => stopExport(of, work.id))} />}
        {canWrite && !isUnderWay(work) && <IconButton danger icon={<DeleteOutlined aria-hidden />} label={t("exports.delete", { name: title })} onClick={() => void run(() => deleteExport(of, work.id))} />}
      </div>
      {hasNotes && <ExportNotes of={of} work={work} onClose={() => setNotes(false)} />}
    </li>
  );
}
