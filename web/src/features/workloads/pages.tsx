import { ThunderboltOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "workload.read" } as const;

export const workloadPages: FeaturePage[] = [
  { ...common, path: "workloads", nav: { label: "page.workloads", icon: <ThunderboltOutlined aria-hidden /> }, crumb: { label: "page.workloads" }, load: () => import("./WorkloadsPage") },
  { ...common, path: "workloads/:workload", crumb: { param: "workload", isId: true }, load: () => import("./WorkloadPage") },
];
