import { useTranslation } from "react-i18next";
import type { StopReason } from "./types";

/** A stop reason in words; one that a newer server gives and this page does not know, as it is. */
export function useReasonText(): (reason: string, exitCode?: number | null) => string {
  const { t, i18n } = useTranslation("workloads");
  return (reason, exitCode) => {
    if (!i18n.exists(`workloads:reason.${reason}`)) return reason;
    return t(`reason.${reason as StopReason}`, { code: exitCode ?? "–" });
  };
}
