import { Tooltip } from "antd";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import { REPLICA_TONES, TONES } from "./states";
import type { ReplicaState, ServiceView } from "./types";

/** Of a service or a track. One of which nothing is there because something waits in the queue says what waits. */
export function ServiceBadge({ of: { state, reason, waits_for: waits } }: { of: Pick<ServiceView, "state" | "reason" | "waits_for"> }) {
  const { t } = useTranslation("services");
  const badge = waits !== null && (state === "building" || state === "starting") ? <StateBadge tone="waiting" text={t(`waitsFor.${waits}`)} /> : <StateBadge tone={TONES[state]} text={t(`state.${state}`)} />;
  return <Explained reason={reason}>{badge}</Explained>;
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
