import { DatabaseOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "dataset.read" } as const;

export const datasetPages: FeaturePage[] = [
  { ...common, path: "datasets", nav: { label: "page.datasets", icon: <DatabaseOutlined aria-hidden /> }, crumb: { label: "page.datasets" }, load: () => import("./DatasetsPage") },
  { ...common, path: "datasets/:dataset", crumb: { param: "dataset" }, load: () => import("./DatasetPage") },
  { ...common, path: "datasets/:dataset/versions/:version", crumb: { param: "version", text: "page.version" }, load: () => import("./VersionPage") },
  { ...common, permission: "dataset.write", path: "datasets/:dataset/versions/:version/import", crumb: { label: "page.import" }, load: () => import("./imports/ImportMakePage") },
  { ...common, path: "datasets/:dataset/versions/:version/imports/:work", crumb: { label: "page.import" }, load: () => import("./imports/ImportPage") },
  { ...common, permission: "training.read", path: "datasets/:dataset/versions/:version/train", crumb: { label: "page.train" }, load: () => import("@/features/models/train/TrainPage") },
];
