import { projectPath } from "@/features/projects/current-project";

/** Of `name@3` or `public/name@3`. */
export function modelPath(project: string, reference: string): string {
  const [, home, name, version] = /^(?:([^/]+)\/)?([^/@]+)(?:@(\d+))?$/.exec(reference) ?? [];
  const parts = ["models", name ?? reference, ...(version ? ["versions", version] : [])];
  return projectPath(home ?? project, ...parts);
}
