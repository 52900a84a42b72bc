/** A workload as such; what it is for (a run, a dev environment) has a page of its own that says more. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { useSpecText } from "@/features/specs/spec-text";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { Duration } from "./Duration";
import { useKindText } from "./kind-text";
import { NodesPanel } from "./NodesPanel";
import { OwnerLink } from "./OwnerLink";
import { workloadQuery } from "./queries";
import { StopButton } from "./StopButton";
import type { WorkloadRef, WorkloadView } from "./types";
import { UsageCharts } from "./UsageCharts";
import { WaitingCard } from "./WaitingCard";
import { WorkloadEvents } from "./WorkloadEvents";
import { WorkloadLogs } from "./WorkloadLogs";
import { WorkloadState } from "./WorkloadState";
import { WorkloadTail } from "./WorkloadTail";

export default function WorkloadPage() {
  const { t } = useTranslation(["workloads", "common"]);
  const project = useProjectName();
  const { workload: id = "" } = useParams();
  const ref = { project, id };
  return (
    <ThingPage<WorkloadView>
      query={useQuery(workloadQuery(ref))}
      render={(workload) => ({
        name: workload.name,
        id: workload.id,
        badge: <WorkloadState of={workload.state === "pending" ? { state: workload.state } : workload} />,
        actions: <StopButton project={project} workload={workload} />,
        banner: workload.state === "pending" && <WaitingCard workload={ref} since={workload.created_at} />,
        tabs: [
          { key: "overview", label: t("common:tab.overview"), content: <Overview workload={workload} at={ref} /> },
          { key: "logs", label: t("tab.logs"), content: <WorkloadLogs workload={ref} nodes={workload.nodes} attempts={workload.attempt} /> },
          { key: "resources", label: t("tab.resources"), content: <UsageCharts workload={ref} state={workload.state} nodes={workload.nodes} attempts={workload.attempt} /> },
          { key: "events", label: t("tab.events"), content: <WorkloadEvents workload={ref} /> },
        ],
      })}
    />
  );
}

function Overview({ workload, at }: { workload: WorkloadView; at: WorkloadRef }) {
  const { t } = useTranslation(["workloads", "common"]);
  const format = useFormat();
  const kindText = useKindText();
  const specText = useSpecText();
  return (
    <>
      {workload.state === "failed" && <WorkloadTail workload={at} />}
      <Panel>
        <Facts
          facts={[
            { key: "kind", label: t("kind.label"), value: kindText(workload.kind) },
            { key: "owner", label: t("owner"), value: <OwnerLink workload={workload} at={at} /> },
            { key: "image", label: t("field.image"), value: workload.image ?? t("ownPython") },
            { key: "spec", label: t("field.spec"), value: workload.spec ?? "–" },
            { key: "resources", label: t("field.resources"), value: specText(workload.resources) },
            { key: "nodes", label: t("field.nodes"), value: format.number(workload.nodes_count) },
            { key: "priority", label: t("priority.label"), value: t(`priority.${workload.priority}`) },
            { key: "attempt", label: t("field.attempt"), value: t("field.attempts", { number: format.number(workload.attempt), of: format.number(workload.retries + 1) }) },
            { key: "started", label: t("field.started"), value: <RelativeTime at={workload.started_at} /> },
            { key: "ended", label: t("field.ended"), value: <RelativeTime at={workload.ended_at} /> },
            { key: "duration", label: t("field.duration"), value: <Duration of={workload} /> },
            { key: "created", label: t("common:field.createdAt"), value: <RelativeTime at={workload.created_at} /> },
            { key: "by", label: t("common:field.createdBy"), value: workload.created_by },
          ]}
        />
      </Panel>
      <NodesPanel nodes={workload.nodes} />
    </>
  );
}
