import { SlidersOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const specPages: FeaturePage[] = [
  { scope: "platform", path: "specs", permission: "spec.write", nav: { label: "page.specs", icon: <SlidersOutlined aria-hidden /> }, crumb: { label: "page.specs" }, load: () => import("./SpecsPage") },
];
