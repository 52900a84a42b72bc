/** One auto-annotation: with what, how far it is, and what came of it. */
import { DeleteOutlined, StopOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { isUnderWay } from "@/features/datasets/works/news";
import { WorkProgress, WorkState } from "@/features/datasets/works/WorkProgress";
import { useFormat } from "@/lib/format";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { deleteAuto, stopAuto } from "./api";
import { AutoNotes } from "./AutoNotes";
import type { AutoView } from "./types";
import workStyles from "@/features/datasets/works/Works.module.css";

const COUNTS = ["looked", "suggested", "annotations", "nothing", "changed_meanwhile", "errors_found"] as const;
const STAGES = ["loading", "predicting", "comparing"] as const;

interface AutoRowProps {
  of: DatasetVersionRef;
  work: AutoView;
  canWrite: boolean;
  onChanged: () => Promise<unknown>;
}

export function AutoRow({ of, work, canWrite, onChanged }: AutoRowProps) {
  const { t } = useTranslation(["auto", "datasets"]);
  const format = useFormat();
  const notify = useNotify();
  const [hasNotes, setNotes] = useState(false);
  const run = async (change: () => Promise<unknown>) => {
    try {
      await change();
      await onChanged();
    } catch (error) {
      notify.failed(error);
    }
  };
  const counts = COUNTS.map((key) => ({ key, count: Number(work.counts[key] ?? 0) })).filter(({ count }) => count > 0);
  const stage = STAGES.find((one) => one === work.stage);
  return (
    <li className={workStyles.work}>
      <WorkState state={work.state} />
      <div className={workStyles.main}>
        <span className={workStyles.name}>
          {work.source}
          <Tag>{t(`source.${work.source_type}`)}</Tag>
          {isUnderWay(work) && stage && <span className="tm-muted">{t(`stage.${stage}`)}</span>}
        </span>
        <span className={workStyles.facts}>
          <span>{t("threshold", { value: format.percent(work.threshold) })}</span>
          {counts.map(({ key, count }) => (
            <span key={key}>{t(`counts.${key}`, { count, number: format.number(count) })}</span>
          ))}
          {work.notes > 0 && (
            <Button type="link" size="small" style={{ height: "auto", padding: 0 }} onClick={() => setNotes(true)}>
              {t("notes", { count: work.notes, number: format.number(work.notes) })}
            </Button>
          )}
          <span>{work.created_by}</span>
          <RelativeTime at={work.created_at} />
        </span>
        <WorkProgress work={work} />
      </div>
      {canWrite && (
        <div className={workStyles.actions}>
          {isUnderWay(work) ? (
            <IconButton danger icon={<StopOutlined aria-hidden />} label={t("datasets:works.stop")} onClick={() => void run(() => stopAuto(of, work.id))} />
          ) : (
            <IconButton danger icon={<DeleteOutlined aria-hidden />} label={t("delete", { name: work.source })} onClick={() => void run(() => deleteAuto(of, work.id))} />
          )}
        </div>
      )}
      {hasNotes && <AutoNotes of={of} work={work} onClose={() => setNotes(false)} />}
    </li>
  );
}
