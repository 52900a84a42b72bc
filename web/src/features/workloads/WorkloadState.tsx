import { Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import { TONES } from "./states";
import { useReasonText } from "./reason-text";
import type { WorkloadState as State } from "./types";
import styles from "./Workloads.module.css";

export interface Stateful {
  state: State;
  stop_reason?: string | null;
  exit_code?: number | null;
  message?: string | null;
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
  const reasonText = useReasonText();
  const { t } = useTranslation("workloads");
  if (of.state === "pending") return of.waiting?.text ?? of.message ?? "";
  if (of.state === "starting") return of.message ?? "";
  if (!of.stop_reason || of.stop_reason === "finished") return "";
  const reason = reasonText(of.stop_reason, of.exit_code);
  return of.message ? t("reasonWith", { reason, message: of.message }) : reason;
}
