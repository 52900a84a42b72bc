/** Names of permissions; the server decides, the web only hides or explains what would be refused. */
export type PlatformPermission =
  | "user.read"
  | "user.write"
  | "group.read"
  | "group.write"
  | "role.read"
  | "role.write"
  | "project.create"
  | "project.manage"
  | "audit.read"
  | "system.read"
  | "system.write"
  | "spec.write"
  | "machine.read";

export type ProjectPermission =
  | "project.read"
  | "project.update"
  | "project.delete"
  | "member.read"
  | "member.write"
  | "audit.read"
  | "webhook.read"
  | "webhook.write"
  | "bin.read"
  | "bin.write"
  | "job.read"
  | "job.write"
  | "upload.write"
  | `${"workload" | "training" | "environment" | "service" | "inference"}.${"read" | "write"}`
  | "service.call"
  | "dataset.annotate"
  | `${"algorithm" | "model" | "image" | "dataset" | "package"}.${"read" | "write" | "delete"}`;
