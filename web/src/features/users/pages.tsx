import { UserOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const userPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "users",
    permission: "user.read",
    nav: { label: "page.users", icon: <UserOutlined aria-hidden /> },
    crumb: { label: "page.users" },
    load: () => import("./UsersPage"),
  },
  {
    scope: "platform",
    path: "users/:user",
    permission: "user.read",
    crumb: { param: "user" },
    load: () => import("./UserPage"),
  },
];
