import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link, Navigate } from "react-router";
import { lastProject, projectPath } from "@/features/projects/current-project";
import { useMe, usePermission } from "@/features/session/me";
import { EmptyState } from "@/ui/EmptyState";

/** The root address leads to the project last worked in. */
export function Home() {
  const { t } = useTranslation("shell");
  const project = lastProject(useMe());
  const canCreate = usePermission("project.create");
  if (project !== null) return <Navigate to={projectPath(project)} replace />;
  return (
    <EmptyState
      title={t("home.noProject")}
      text={canCreate ? t("home.createText") : t("home.askText")}
      action={
        canCreate && (
          <Link to="/admin/projects/new">
            <Button type="primary">{t("home.create")}</Button>
          </Link>
        )
      }
    />
  );
}
