import type { ProjectPermission } from "@/lib/permissions";

/** What it takes to come into a workload, by its kind, as the server asks for it. */
export function terminalPermission(kind: string): ProjectPermission {
  return kind === "replica" ? "service.write" : "workload.write";
}
