/**
 * The rooms of the house and the pages in them. A feature describes its pages in `features/<noun>/pages.tsx` and is listed
 * here once; navigation, routes and breadcrumbs all follow from it.
 */
import type { ComponentType, ReactNode } from "react";
import type { ParseKeys } from "i18next";
import { annotatePages } from "@/features/annotate/pages";
import { pagesOf } from "@/features/assets/pages";
import { auditPages, projectAuditPages } from "@/features/audit/pages";
import { autoPages } from "@/features/auto/pages";
import { binPages } from "@/features/bin/pages";
import { cataloguePages } from "@/features/catalogue/pages";
import { datasetPages } from "@/features/datasets/pages";
import { environmentPages } from "@/features/environments/pages";
import { evaluationPages } from "@/features/evaluations/pages";
import { experimentPages } from "@/features/experiments/pages";
import { groupPages } from "@/features/groups/pages";
import { imagePages } from "@/features/images/pages";
import { inferencePages } from "@/features/inference/pages";
import { labelSetPages } from "@/features/label-sets/pages";
import { memberPages } from "@/features/members/pages";
import { packagePages } from "@/features/packages/pages";
import { platformOverviewPages } from "@/features/overview/pages";
import { projectPages, projectsPages } from "@/features/projects/pages";
import { rolePages } from "@/features/roles/pages";
import { servicePages } from "@/features/services/pages";
import { specPages } from "@/features/specs/pages";
import { systemPages } from "@/features/system/pages";
import { terminalPages } from "@/features/terminal/pages";
import { trainingPages } from "@/features/training/pages";
import { userPages } from "@/features/users/pages";
import { webhookPages } from "@/features/webhooks/pages";
import { workloadPages } from "@/features/workloads/pages";
import type { PlatformPermission, ProjectPermission } from "@/lib/permissions";

interface BasePage {
  /** Relative to the scope's root, in React Router's notation. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  /** Has the whole window to itself, without the frame: a workbench. */
  isFullWindow?: boolean;
  /** In the navigation when given. */
  nav?: { label: ParseKeys<"shell">; icon: ReactNode };
  /** What the breadcrumb says: a text, which on the page itself may give way to its name, or the value of a path parameter, alone, as `{{value}}` in a text, or, where it is an id, the name of what it stands for. */
  crumb: { label: ParseKeys<"shell">; isNamed?: boolean } | { param: string; text?: ParseKeys<"shell">; isId?: boolean };
}

/** Under `/p/{project}/`. */
export interface ProjectPage extends BasePage {
  scope: "project";
  permission: ProjectPermission;
}

/** Under `/admin/`. */
export interface PlatformPage extends BasePage {
  scope: "platform";
  permission: PlatformPermission;
}

export type FeaturePage = ProjectPage | PlatformPage;

export interface Room {
  key: "project" | "data" | "development" | "training" | "models" | "serving" | "management";
  pages: FeaturePage[];
}

export const rooms: Room[] = [
  { key: "data", pages: [...datasetPages, ...labelSetPages, ...annotatePages, ...autoPages] },
  { key: "development", pages: [...pagesOf("algorithm"), ...environmentPages, ...imagePages, ...terminalPages] },
  { key: "training", pages: [...trainingPages, ...experimentPages, ...workloadPages] },
  { key: "models", pages: [...pagesOf("model"), ...evaluationPages, ...inferencePages, ...cataloguePages] },
  { key: "serving", pages: [...packagePages, ...servicePages] },
  { key: "project", pages: [...projectPages, ...memberPages, ...webhookPages, ...projectAuditPages, ...binPages] },
  { key: "management", pages: [...platformOverviewPages, ...projectsPages, ...userPages, ...groupPages, ...rolePages, ...specPages, ...auditPages, ...systemPages] },
];
