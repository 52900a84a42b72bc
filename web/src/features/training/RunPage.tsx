import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { LoggedFiles } from "@/features/experiments/LoggedFiles";
import { OutsideOverview } from "@/features/experiments/OutsideOverview";
import { experimentPath } from "@/features/experiments/queries";
import { useProjectName } from "@/features/projects/current-project";
import { DeployButton } from "@/features/services/DeployButton";
import { parseRef } from "@/features/workloads/asset-ref";
import { isEnded } from "@/features/workloads/states";
import { UsageCharts } from "@/features/workloads/UsageCharts";
import { WaitingCard } from "@/features/workloads/WaitingCard";
import { WorkloadEvents } from "@/features/workloads/WorkloadEvents";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingParts } from "@/ui/ThingPage";
import { runQuery, taskPath } from "./queries";
import { useRunActions } from "./run-actions";
import { RunFiles } from "./RunFiles";
import { RunMetrics } from "./RunMetrics";
import { RunOverview } from "./RunOverview";
import type { RunView } from "./types";

export default function RunPage() {
  const { t } = useTranslation(["training", "workloads", "experiments", "common"]);
  const project = useProjectName();
  const { run: name = "" } = useParams();
  const { actionsOf } = useRunActions(project);
  return (
    <ThingPage<RunView>
      query={useQuery(runQuery({ project, run: name }))}
      render={(run) => {
        if (run.workload_id === null) return outsideParts(run);
        const workload = { project, id: run.workload_id };
        const nodes = run.workload?.nodes ?? [];
        return {
          name: run.name,
          id: run.id,
          badge: <WorkloadState of={run.state === "pending" ? { state: run.state } : run} />,
          facts: (
            <>
              <span>
                {t("run.of")} <Link to={taskPath(project, run.task ?? "")}>{run.task}</Link>
              </span>
              <ExperimentLink project={project} run={run} />
              <span>{t("createdBy", { name: run.created_by })}</span>
              <RelativeTime at={run.created_at} />
            </>
          ),
          actions: (
            <>
              {isEnded(run.state) && <DeployButton project={project} source={{ run: run.id }} name={run.model ? parseRef(run.model).name : ""} disabledReason={run.model ? undefined : t("run.noModel")} />}
              <ActionButtons actions={actionsOf(run)} />
            </>
          ),
          banner: run.state === "pending" && <WaitingCard workload={workload} since={run.workload?.created_at ?? run.created_at} />,
          tabs: [
            { key: "overview", label: t("common:tab.overview"), content: <RunOverview project={project} run={run} /> },
            { key: "logs", label: t("workloads:tab.logs"), content: <WorkloadLogs workload={workload} nodes={nodes} attempts={run.workload?.attempt} /> },
            { key: "metrics", label: t("metrics.title"), content: <RunMetrics project={project} runs={[run]} /> },
            { key: "resources", label: t("workloads:tab.resources"), content: <UsageCharts key={run.workload_id} workload={workload} state={run.state} nodes={nodes} attempts={run.workload?.attempt} /> },
            { key: "events", label: t("workloads:tab.events"), content: <WorkloadEvents workload={workload} /> },
            { key: "files", label: t("files.title"), content: <RunFiles project={project} run={run} /> },
            ...(run.files_count > 0 ? [{ key: "logged", label: t("experiments:logged.title"), content: <LoggedFiles project={project} run={run.id} /> }] : []),
          ],
        };
      }}
    />
  );

  /** Nothing of it runs here: it has no output, no workspace and no resources to show. */
  function outsideParts(run: RunView): ThingParts {
    return {
      name: run.name,
      id: run.id,
      badge: <WorkloadState of={run} />,
      facts: (
        <>
          <ExperimentLink project={project} run={run} />
          <span>{t("createdBy", { name: run.created_by })}</span>
          <RelativeTime at={run.created_at} />
        </>
      ),
      actions: <ActionButtons actions={actionsOf(run)} />,
      tabs: [
        { key: "overview", label: t("common:tab.overview"), content: <OutsideOverview run={run} /> },
        { key: "metrics", label: t("metrics.title"), content: <RunMetrics project={project} runs={[run]} /> },
        { key: "logged", label: t("experiments:logged.title"), content: <LoggedFiles project={project} run={run.id} /> },
      ],
    };
  }
}

function ExperimentLink({ project, run }: { project: string; run: RunView }) {
  const { t } = useTranslation("experiments");
  return (
    <span>
      {t("experiment")} <Link to={experimentPath(project, run.experiment_id)}>{run.experiment}</Link>
    </span>
  );
}
