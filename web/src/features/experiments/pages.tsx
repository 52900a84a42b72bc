import { BarChartOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "training.read" } as const;

export const experimentPages: FeaturePage[] = [
  { ...common, path: "experiments", nav: { label: "page.experiments", icon: <BarChartOutlined aria-hidden /> }, crumb: { label: "page.experiments" }, load: () => import("./ExperimentsPage") },
  { ...common, path: "experiments/:experiment", crumb: { label: "page.experiment", isNamed: true }, load: () => import("./ExperimentPage") },
  { ...common, path: "experiments/:experiment/runs/:run", crumb: { label: "page.run", isNamed: true }, load: () => import("../training/RunPage") },
];
