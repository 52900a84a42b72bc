import { LaptopOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const environmentPages: FeaturePage[] = [
  {
    scope: "project",
    path: "environments",
    permission: "environment.read",
    nav: { label: "page.environments", icon: <LaptopOutlined aria-hidden /> },
    crumb: { label: "page.environments" },
    load: () => import("./EnvironmentsPage"),
  },
  { scope: "project", path: "environments/new", permission: "environment.write", crumb: { label: "page.newEnvironment" }, load: () => import("./EnvironmentMakePage") },
  { scope: "project", path: "environments/:environment", permission: "environment.read", crumb: { param: "environment" }, load: () => import("./EnvironmentPage") },
];
