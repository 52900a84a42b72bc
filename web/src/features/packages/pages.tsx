import { InboxOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "package.read" } as const;

export const packagePages: FeaturePage[] = [
  { ...common, path: "packages", nav: { label: "page.packages", icon: <InboxOutlined aria-hidden /> }, crumb: { label: "page.packages" }, load: () => import("./PackagesPage") },
  { ...common, path: "packages/:package", crumb: { param: "package" }, load: () => import("./PackagePage") },
  { ...common, permission: "package.write", path: "packages/:package/new", crumb: { label: "page.newPackageVersion" }, load: () => import("./PackageMakePage") },
  { ...common, path: "packages/:package/versions/:version", crumb: { param: "version", text: "page.version" }, load: () => import("./PackagePage") },
];
