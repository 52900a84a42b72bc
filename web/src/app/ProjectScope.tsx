import { useEffect } from "react";
import { Outlet } from "react-router";
import { isFailure } from "@/api/failure";
import { rememberProject, useProject, useProjectName } from "@/features/projects/current-project";
import { ErrorState } from "@/ui/ErrorState";
import { NotFound } from "@/ui/NotFound";
import { Splash } from "@/ui/Splash";

/** Pages of a project are shown once the project and what the user may do in it are known. */
export function ProjectScope() {
  const name = useProjectName();
  const project = useProject(name);
  const known = project.data?.name;

  useEffect(() => {
    if (known !== undefined) rememberProject(known);
  }, [known]);

  if (project.isPending) return <Splash />;
  if (!project.data) {
    if (isFailure(project.error, "not_found")) return <NotFound />;
    return <ErrorState error={project.error} onRetry={() => void project.refetch()} />;
  }
  return <Outlet />;
}
