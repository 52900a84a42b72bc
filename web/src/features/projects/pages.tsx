import { AppstoreOutlined, DashboardOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const projectPages: FeaturePage[] = [
  {
    scope: "project",
    path: "",
    permission: "project.read",
    nav: { label: "page.overview", icon: <DashboardOutlined aria-hidden /> },
    crumb: { label: "page.overview" },
    load: () => import("./ProjectOverviewPage"),
  },
];

export const projectsPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "projects",
    permission: "project.manage",
    nav: { label: "page.projects", icon: <AppstoreOutlined aria-hidden /> },
    crumb: { label: "page.projects" },
    load: () => import("./ProjectsPage"),
  },
  {
    scope: "platform",
    path: "projects/new",
    permission: "project.create",
    crumb: { label: "page.newProject" },
    load: () => import("./ProjectMakePage"),
  },
];
