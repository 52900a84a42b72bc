/** How far a work is: its state, a bar and a figure while it goes on, the reason when it failed. */
import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import { isUnderWay } from "./news";

export type WorkState = "waiting" | "running" | "done" | "failed" | "stopped" | "generating" | "ready" | "expired";

const TONES: Record<WorkState, BadgeTone> = { waiting: "waiting", running: "running", done: "completed", failed: "failed", stopped: "stopped", generating: "running", ready: "completed", expired: "stopped" };

export interface ShownWork {
  id: string;
  state: WorkState;
  done: number;
  total: number | null;
  progress: number | null;
  error: { message: string; hint?: string | null; path?: string | null } | null;
}

export function WorkState({ state }: { state: WorkState }) {
  const { t } = useTranslation("datasets");
  return <StateBadge tone={TONES[state]} text={t(`workState.${state}`)} />;
}

export function WorkProgress({ work }: { work: ShownWork }) {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  if (work.error) {
    return (
      <small style={{ color: "var(--tm-error)", overflowWrap: "anywhere" }}>
        {work.error.path && `${work.error.path}: `}
        {work.error.message} {work.error.hint}
      </small>
    );
  }
  if (!isUnderWay(work)) return null;
  return (
    <>
      {work.progress !== null && <Progress size="small" percent={Math.floor(work.progress)} status="active" aria-label={t("works.progress")} />}
      <small className="tm-muted">{work.total ? t("works.figures", { done: format.number(work.done), total: format.number(work.total) }) : work.done > 0 ? t("works.soFar", { done: format.number(work.done) }) : t("works.starting")}</small>
    </>
  );
}
