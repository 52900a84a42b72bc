import { projectPath } from "../projects/current-project";

/** Address of the workbench: of a version, or of one of its items. */
export function annotatePath(project: string, dataset: string, version: number | string, item?: number): string {
  const path = projectPath(project, "datasets", dataset, "versions", String(version), "annotate");
  return item === undefined ? path : `${path}?item=${item}`;
}
