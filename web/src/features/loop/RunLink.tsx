import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { runPath, runQuery } from "@/features/training/queries";
import type { RunName } from "./types";

/** A run's page lies under its task, which only the run knows. */
export function RunLink({ project, run }: { project: string; run: RunName }) {
  const found = useQuery(runQuery({ project, run: run.id }));
  const task = found.data?.task;
  return task ? <Link to={runPath(project, { task, name: run.name })}>{run.name}</Link> : <span>{run.name}</span>;
}
