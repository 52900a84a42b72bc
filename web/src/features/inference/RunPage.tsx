import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { WorkspaceFiles } from "@/features/training/RunFiles";
import { isEnded } from "@/features/workloads/states";
import { UsageCharts } from "@/features/workloads/UsageCharts";
import { WaitingCard } from "@/features/workloads/WaitingCard";
import { WorkloadEvents } from "@/features/workloads/WorkloadEvents";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { inferenceFileAddress, listInferenceFiles } from "./api";
import type { InferenceRunRef } from "./api";
import { entryPath, filesKey, runQuery } from "./queries";
import { ResultsTab } from "./results/ResultsTab";
import { TakeResults } from "./results/TakeResults";
import { useInferenceRunActions } from "./run-actions";
import { RunOverview } from "./RunOverview";
import { RunProgress } from "./RunProgress";
import type { InferenceRun } from "./types";

export default function RunPage() {
  const { t } = useTranslation(["inference", "common"]);
  const project = useProjectName();
  const { inference = "", run: number = "" } = useParams();
  const at = { project, inference, run: number };
  const { actionsOf } = useInferenceRunActions(project);
  const tabsOf = useTabs(at);
  return (
    <ThingPage<InferenceRun>
      query={useQuery(runQuery(at))}
      render={(run) => ({
        name: run.name,
        id: run.id,
        badge: <WorkloadState of={run.state === "pending" ? { state: run.state } : run} />,
        facts: (
          <>
            <span>
              {t("run.of")} <Link to={entryPath(project, run.inference)} style={{ textDecoration: "underline" }}>{run.inference}</Link>
            </span>
            <span>{t("createdBy", { name: run.created_by })}</span>
            <RelativeTime at={run.created_at} />
          </>
        ),
        actions: (
          <>
            <TakeResults at={at} run={run} />
            <ActionButtons actions={actionsOf(run)} shown={2} />
          </>
        ),
        banner: (
          <>
            {run.state === "pending" && run.workload_id !== null && <WaitingCard workload={{ project, id: run.workload_id }} since={run.workload?.created_at ?? run.created_at} />}
            {run.form === "model" && <RunProgress run={run} />}
          </>
        ),
        tabs: tabsOf(run),
      })}
    />
  );
}

function useTabs(at: InferenceRunRef): (run: InferenceRun) => ThingTab[] {
  const { t } = useTranslation(["inference", "training", "workloads", "common"]);
  return (run) => {
    const isLive = !isEnded(run.state);
    const overview: ThingTab = { key: "overview", label: t("common:tab.overview"), content: <RunOverview at={at} run={run} /> };
    const results: ThingTab = { key: "results", label: t("results.title"), content: <ResultsTab key={run.id} at={at} run={run} /> };
    const errors: ThingTab = { key: "errors", label: t("results.errors", { number: run.errors }), content: <ResultsTab key={`${run.id} errors`} at={at} run={run} isErrors /> };
    return [
      ...(run.form === "model" ? [results, overview, ...(run.errors > 0 ? [errors] : [])] : [overview]),
      ...(run.workload_id === null ? [] : workloadTabs(run, { project: at.project, id: run.workload_id })),
      {
        key: "files",
        label: t("training:files.title"),
        content: <WorkspaceFiles queryKey={filesKey(at)} load={(query) => listInferenceFiles(at, query)} addressOf={(path) => inferenceFileAddress(at, path)} isLive={isLive} />,
      },
    ];
  };

  function workloadTabs(run: InferenceRun, workload: { project: string; id: string }): ThingTab[] {
    const nodes = run.workload?.nodes ?? [];
    return [
      { key: "logs", label: t("workloads:tab.logs"), content: <WorkloadLogs workload={workload} nodes={nodes} attempts={run.workload?.attempt} /> },
      { key: "resources", label: t("workloads:tab.resources"), content: <UsageCharts key={workload.id} workload={workload} state={run.state} nodes={nodes} attempts={run.workload?.attempt} /> },
      { key: "events", label: t("workloads:tab.events"), content: <WorkloadEvents workload={workload} /> },
    ];
  }
}
