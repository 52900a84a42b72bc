import { CloudServerOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

const common = { scope: "project", permission: "service.read" } as const;

export const servicePages: FeaturePage[] = [
  { ...common, path: "services", nav: { label: "page.services", icon: <CloudServerOutlined aria-hidden /> }, crumb: { label: "page.services" }, load: () => import("./ServicesPage") },
  { ...common, permission: "service.write", path: "services/new", crumb: { label: "page.newService" }, load: () => import("./ServiceMakePage") },
  { ...common, path: "services/:service", crumb: { param: "service", isId: true }, load: () => import("./ServicePage") },
];
