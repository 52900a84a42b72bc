import { Tooltip } from "antd";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import { REPLICA_TONES, TONES } from "./states";
import type { ReplicaState, ServiceState } from "./types";

export function ServiceBadge({ state, reason }: { state: ServiceState; reason?: string | null }) {
  const { t } = useTranslation("services");
  return <Explained reason={reason}><StateBadge tone={TONES[state]} text={t(`state.${state}`)} /></Explained>;
}

export function ReplicaBadge({ state, reason }: { state: ReplicaState; reason?: string | null }) {
  const { t } = useTranslation("services");
  return <Explained reason={reason}><StateBadge tone={REPLICA_TONES[state]} text={t(`replicaState.${state}`)} /></Explained>;
}

function Explained({ reason, children }: { reason?: string | null; children: ReactElement }) {
  if (!reason) return children;
  return (
    <Tooltip title={reason}>
      <span>{children}</span>
    </Tooltip>
  );
}
