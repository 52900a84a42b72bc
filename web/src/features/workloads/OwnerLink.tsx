import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { projectPath } from "@/features/projects/current-project";
import { runPath, runQuery } from "@/features/training/queries";
import type { WorkloadRef, WorkloadView } from "./types";

/** The run, dev environment, image or service a workload is for, on its own page. */
export function OwnerLink({ workload, at }: { workload: WorkloadView; at: WorkloadRef }) {
  switch (workload.kind) {
    case "run":
    case "tensorboard":
      return <RunLink project={at.project} run={workload.owner_id} />;
    case "environment":
      return <Link to={projectPath(at.project, "environments", workload.owner_id)}>{workload.name}</Link>;
    case "build":
      return <Link to={projectPath(at.project, "images", workload.owner_id)}>{workload.name}</Link>;
    case "replica":
      return <Link to={projectPath(at.project, "services", workload.owner_id)}>{workload.name}</Link>;
    default:
      return <span className="tm-muted">–</span>;
  }
}

function RunLink({ project, run }: { project: string; run: string }) {
  const { data } = useQuery(runQuery({ project, run }));
  return data ? <Link to={runPath(project, data)}>{data.name}</Link> : <span className="tm-muted">–</span>;
}
