import type { FeaturePage } from "@/app/rooms";

export const terminalPages: FeaturePage[] = [
  { scope: "project", path: "workloads/:workload/terminal", permission: "workload.read", crumb: { label: "page.terminal" }, load: () => import("./TerminalPage") },
];
