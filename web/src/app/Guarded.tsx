import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { usePermission } from "@/features/session/me";
import { EmptyState } from "@/ui/EmptyState";
import type { FeaturePage, PlatformPage, ProjectPage } from "./rooms";

/** Explains a page the user may not see instead of showing it broken. The server refuses in any case. */
export function Guarded({ page, children }: { page: FeaturePage; children: ReactNode }) {
  return page.scope === "platform" ? <PlatformGuard page={page}>{children}</PlatformGuard> : <ProjectGuard page={page}>{children}</ProjectGuard>;
}

function PlatformGuard({ page, children }: { page: PlatformPage; children: ReactNode }) {
  return usePermission(page.permission) ? children : <NotAllowed />;
}

function ProjectGuard({ page, children }: { page: ProjectPage; children: ReactNode }) {
  const { project = "" } = useParams();
  return useProjectPermission(project, page.permission) ? children : <NotAllowed />;
}

function NotAllowed() {
  const { t } = useTranslation("shell");
  return <EmptyState picture="search" title={t("notAllowed.title")} text={t("notAllowed.text")} />;
}
