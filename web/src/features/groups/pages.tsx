import { UsergroupAddOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const groupPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "groups",
    permission: "group.read",
    nav: { label: "page.groups", icon: <UsergroupAddOutlined aria-hidden /> },
    crumb: { label: "page.groups" },
    load: () => import("./GroupsPage"),
  },
  {
    scope: "platform",
    path: "groups/:group",
    permission: "group.read",
    crumb: { param: "group" },
    load: () => import("./GroupPage"),
  },
];
