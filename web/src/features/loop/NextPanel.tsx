/** The items that teach the model most, to be labelled in this order. */
import { HighlightOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { annotatePath } from "@/features/annotate/addresses";
import { certaintyOf } from "@/features/annotate/model/suggestions";
import type { Annotation } from "@/features/annotate/model/types";
import { Certainty } from "@/features/auto/Certainty";
import { Picture } from "@/features/datasets/items/Picture";
import { labelsQuery } from "@/features/datasets/queries";
import type { DatasetRef } from "@/features/datasets/types";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import { allowedIn } from "./allowed";
import type { Loop } from "./types";
import styles from "./Loop.module.css";

export function NextPanel({ of, loop }: { of: DatasetRef; loop: Loop }) {
  const { t } = useTranslation("loop");
  const navigate = useNavigate();
  const { next_items, next_order, draft } = loop;
  const version = draft ?? loop.latest_published ?? 1;
  const ref = { ...of, version };
  const labels = useQuery(labelsQuery(ref));
  const byNumber = useMemo(() => new Map((labels.data?.items ?? []).map((label) => [label.number, label])), [labels.data]);
  const seqs = next_items.map((item) => item.seq);
  const path = (seq?: number) => annotatePath(of.project, of.dataset, version, seq, { items: seqs });
  const { allowed, reason } = allowedIn(loop, "label");
  const why = allowed ? undefined : (reason ?? undefined);
  if (next_items.length === 0) {
    return (
      <Panel title={t("next.title", { count: 20 })}>
        <EmptyState title={t("next.none")} text={why} />
      </Panel>
    );
  }
  return (
    <Panel
      title={t("next.title", { count: seqs.length })}
      actions={
        <Tooltip title={why}>
          <Button icon={<HighlightOutlined aria-hidden />} disabled={why !== undefined} onClick={() => void navigate(path(seqs[0]))}>
            {t("next.label")}
          </Button>
        </Tooltip>
      }
    >
      <p className="tm-muted">{t(`next.order.${next_order}`)}</p>
      <ul className={styles.thumbs} aria-label={t("next.title", { count: seqs.length })}>
        {next_items.map((item) => (
          <li key={item.seq}>
            <Link to={path(item.seq)} className={styles.thumb} title={item.path} aria-label={t("next.open", { name: item.path })}>
              <Picture of={ref} item={item} labels={byNumber} />
            </Link>
            <Certainty value={certaintyOf(item, (item.annotations ?? []) as Annotation[])} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
