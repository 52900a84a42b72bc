import { SafetyCertificateOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const rolePages: FeaturePage[] = [
  {
    scope: "platform",
    path: "roles",
    permission: "role.read",
    nav: { label: "page.roles", icon: <SafetyCertificateOutlined aria-hidden /> },
    crumb: { label: "page.roles" },
    load: () => import("./RolesPage"),
  },
  {
    scope: "platform",
    path: "roles/:role",
    permission: "role.read",
    crumb: { param: "role" },
    load: () => import("./RolePage"),
  },
];
