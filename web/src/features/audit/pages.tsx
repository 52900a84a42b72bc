import { AuditOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const projectAuditPages: FeaturePage[] = [
  {
    scope: "project",
    path: "audit",
    permission: "audit.read",
    nav: { label: "page.audit", icon: <AuditOutlined aria-hidden /> },
    crumb: { label: "page.audit" },
    load: () => import("./ProjectAuditPage"),
  },
];

export const auditPages: FeaturePage[] = [
  {
    scope: "platform",
    path: "audit",
    permission: "audit.read",
    nav: { label: "page.platformAudit", icon: <AuditOutlined aria-hidden /> },
    crumb: { label: "page.platformAudit" },
    load: () => import("./PlatformAuditPage"),
  },
];
