import { ExperimentOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "training.read" } as const;

export const trainingPages: FeaturePage[] = [
  { ...common, path: "training", nav: { label: "page.training", icon: <ExperimentOutlined aria-hidden /> }, crumb: { label: "page.training" }, load: () => import("./TasksPage") },
  { ...common, permission: "training.write", path: "training/new", crumb: { label: "page.newTask" }, load: () => import("./TaskMakePage") },
  { ...common, path: "training/compare", crumb: { label: "page.compareRuns" }, load: () => import("./ComparePage") },
  { ...common, path: "training/tasks/:task", crumb: { param: "task" }, load: () => import("./TaskPage") },
  { ...common, permission: "training.write", path: "training/tasks/:task/edit", crumb: { label: "page.editTask" }, load: () => import("./TaskMakePage") },
  { ...common, path: "training/tasks/:task/runs/:run", crumb: { param: "run", isId: true }, load: () => import("./RunPage") },
];
