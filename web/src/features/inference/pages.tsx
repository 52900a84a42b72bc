import { FileSearchOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "inference.read" } as const;

export const inferencePages: FeaturePage[] = [
  { ...common, path: "inferences", nav: { label: "page.inference", icon: <FileSearchOutlined aria-hidden /> }, crumb: { label: "page.inference" }, load: () => import("./InferencesPage") },
  { ...common, permission: "inference.write", path: "inferences/new", crumb: { label: "page.newInference" }, load: () => import("./InferenceMakePage") },
  { ...common, path: "inferences/:inference", crumb: { param: "inference" }, load: () => import("./InferencePage") },
  { ...common, permission: "inference.write", path: "inferences/:inference/edit", crumb: { label: "page.editInference" }, load: () => import("./InferenceMakePage") },
  { ...common, path: "inferences/:inference/runs/:run", crumb: { param: "run", text: "page.inferenceRun" }, load: () => import("./RunPage") },
];
