import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { getRun } from "@/features/training/api";
import { runPath } from "@/features/training/queries";

/** A run by its name; it leads to the run's page once it is known of which task it is. */
export function RunLink({ project, run }: { project: string; run: { id: string; name: string } }) {
  const { data } = useQuery({ queryKey: ["training", "run", project, run.id, "link"], queryFn: () => getRun({ project, run: run.id }), retry: false, staleTime: Infinity });
  return data ? <Link to={runPath(project, data)}>{run.name}</Link> : run.name;
}
