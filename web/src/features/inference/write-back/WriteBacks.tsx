/** Where results went: each write-back with how far it is and a way to what it wrote. */
import { useQuery } from "@tanstack/react-query";
import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import type { InferenceRunRef } from "../api";
import { isWriting, writeBacksQuery } from "../queries";
import type { InferenceRun, WriteBackView } from "../types";
import styles from "../Inference.module.css";

const TONES: Record<WriteBackView["state"], BadgeTone> = { waiting: "waiting", copying: "running", writing: "running", done: "completed", failed: "failed", stopped: "stopped" };
const COUNTS = ["written", "kept", "empty", "missing"] as const;

export function WriteBacks({ at, run }: { at: InferenceRunRef; run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const { data } = useQuery({ ...writeBacksQuery(at), enabled: run.has_results });
  if (!data || data.items.length === 0) return null;
  return (
    <Panel title={t("back.list")}>
      <ul className={styles.back}>
        {data.items.map((one) => (
          <Row key={one.id} project={at.project} run={run} back={one} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ project, run, back }: { project: string; run: InferenceRun; back: WriteBackView }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const counts = COUNTS.map((key) => ({ key, count: back.counts[key] ?? 0 })).filter(({ count }) => count > 0);
  return (
    <li>
      <StateBadge tone={TONES[back.state]} text={t(`back.state.${back.state}`)} />
      <div>
        <div>
          {t(`back.${back.form}`)} → <Target project={project} back={back} />
        </div>
        {isWriting(back) && run.done > 0 && <Progress size="small" percent={Math.min(100, Math.floor((back.done / run.done) * 100))} status="active" aria-label={t("back.list")} />}
        <div className={styles.facts}>
          {counts.map(({ key, count }) => (
            <span key={key}>{t(`back.counts.${key}`, { count, number: format.number(count) })}</span>
          ))}
          <span>{back.created_by}</span>
          <RelativeTime at={back.created_at} />
        </div>
        {back.error && (
          <small className={styles.wrong}>
            {back.error.message} {back.error.hint}
          </small>
        )}
      </div>
    </li>
  );
}

function Target({ project, back }: { project: string; back: WriteBackView }) {
  const [name = back.dataset] = back.dataset.split("@");
  if (back.version === null) return back.dataset;
  const path = datasetVersionPath({ project, dataset: name, version: back.version });
  return <Link style={{ textDecoration: "underline" }} to={back.form === "suggestions" ? `${path}?state=suggested` : path}>{`${name}@${back.version}`}</Link>;
}
