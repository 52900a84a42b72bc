import { TeamOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const memberPages: FeaturePage[] = [
  {
    scope: "project",
    path: "members",
    permission: "member.read",
    nav: { label: "page.members", icon: <TeamOutlined aria-hidden /> },
    crumb: { label: "page.members" },
    load: () => import("./MembersPage"),
  },
];
