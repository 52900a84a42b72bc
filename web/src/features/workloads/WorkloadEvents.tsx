import { useQuery } from "@tanstack/react-query";
import { Skeleton, Timeline } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { StateBadge } from "@/ui/StateBadge";
import { eventsQuery } from "./queries";
import { TONES } from "./states";
import { useReasonText } from "./reason-text";
import type { WorkloadEvent, WorkloadRef, WorkloadState } from "./types";

/** What happened to a workload, newest first: from where to where, why, by whom. */
export function WorkloadEvents({ workload }: { workload: WorkloadRef }) {
  const { t } = useTranslation("workloads");
  const events = useQuery(eventsQuery(workload));
  if (events.isPending) return <Skeleton active />;
  if (events.isError) return <ErrorState error={events.error} onRetry={() => void events.refetch()} />;
  if (events.data.items.length === 0) return <EmptyState title={t("events.none")} />;
  const newestFirst = [...events.data.items].sort((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id));
  return (
    <Panel>
      <Timeline items={newestFirst.map((event) => ({ key: event.id, content: <Event event={event} /> }))} />
    </Panel>
  );
}

function Event({ event }: { event: WorkloadEvent }) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const reasonText = useReasonText();
  const state = event.to_state as WorkloadState;
  const words = [
    // Which code it was is told where the workload is; an event knows only that there was one.
    event.reason && (event.reason === "exit_code" ? t("events.exitCode") : reasonText(event.reason)),
    event.message,
    event.by === "system" ? t("events.bySystem") : t("events.by", { name: event.by }),
    event.attempt > 1 && t("events.attempt", { number: format.number(event.attempt) }),
  ];
  return (
    <>
      <StateBadge tone={TONES[state]} text={t(`state.${state}`)} /> <span className="tm-muted">{format.dateTime(event.at)}</span>
      <div>{words.filter(Boolean).join(" · ")}</div>
    </>
  );
}
