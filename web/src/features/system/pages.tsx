import { CloudServerOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const systemPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "system",
    permission: "system.read",
    nav: { label: "page.system", icon: <CloudServerOutlined aria-hidden /> },
    crumb: { label: "page.system" },
    load: () => import("./SystemPage"),
  },
];
