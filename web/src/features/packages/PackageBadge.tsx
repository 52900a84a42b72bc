import { Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import { TONES } from "./states";
import type { PackageState } from "./types";

export function PackageBadge({ state, reason }: { state: PackageState; reason?: string | null }) {
  const { t } = useTranslation("packages");
  const badge = <StateBadge tone={TONES[state]} text={t(`state.${state}`)} />;
  if (!reason) return badge;
  return (
    <Tooltip title={reason}>
      <span>{badge}</span>
    </Tooltip>
  );
}
