import { AimOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "training.read" } as const;

export const evaluationPages: FeaturePage[] = [
  { ...common, path: "evaluations", nav: { label: "page.evaluations", icon: <AimOutlined aria-hidden /> }, crumb: { label: "page.evaluations" }, load: () => import("./EvaluationsPage") },
  { ...common, path: "evaluations/compare", crumb: { label: "page.compareEvaluations" }, load: () => import("./ComparePage") },
  { ...common, path: "evaluations/:evaluation", crumb: { label: "page.evaluation" }, load: () => import("./EvaluationPage") },
];
