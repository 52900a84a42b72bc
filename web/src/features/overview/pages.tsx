import { DashboardOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const platformOverviewPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "overview",
    permission: "machine.read",
    nav: { label: "page.platformOverview", icon: <DashboardOutlined aria-hidden /> },
    crumb: { label: "page.platformOverview" },
    load: () => import("./PlatformOverviewPage"),
  },
];
