import { TagsOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "dataset.read" } as const;

export const labelSetPages: FeaturePage[] = [
  { ...common, path: "label-sets", nav: { label: "page.labelSets", icon: <TagsOutlined aria-hidden /> }, crumb: { label: "page.labelSets" }, load: () => import("./LabelSetsPage") },
  { ...common, path: "label-sets/:set", crumb: { param: "set" }, load: () => import("./LabelSetPage") },
];
