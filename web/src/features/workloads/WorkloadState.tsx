import { Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import { TONES } from "./states";
import type { StopReason, WorkloadState as State } from "./types";
import styles from "./Workloads.module.css";

export interface Stateful {
  state: State;
  stop_reason?: StopReason | null;
  exit_code?: number | null;
  message?: string;
  waiting?: { text: string } | null;
}

/** Where a workload is, and why: the reason stands beside the badge when it says more than the state does. */
export function WorkloadState({ of, isShort = false }: { of: Stateful; isShort?: boolean }) {
  const { t } = useTranslation("workloads");
  const reason = useReason(of);
  const badge = <StateBadge tone={TONES[of.state]} text={t(`state.${of.state}`)} />;
  if (!reason) return badge;
  if (isShort) return <Tooltip title={reason}>{badge}</Tooltip>;
  return (
    <span className={styles.state}>
      {badge}
      <span className={styles.reason} title={reason}>
        {reason}
      </span>
    </span>
  );
}

function useReason(of: Stateful): string {
  const { t } = useTranslation("workloads");
  if (of.state === "pending") return of.waiting?.text ?? of.message ?? "";
  if (of.state === "starting") return of.message ?? "";
  if (!of.stop_reason || of.stop_reason === "finished") return "";
  if (of.stop_reason === "exit_code") return t("reason.exit_code", { code: of.exit_code ?? "?" });
  const reason = t(`reason.${of.stop_reason}`);
  return of.message ? t("reasonWith", { reason, message: of.message }) : reason;
}
