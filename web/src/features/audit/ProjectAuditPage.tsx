import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import { useProjectName } from "@/features/projects/current-project";
import { AuditList } from "./AuditList";

export default function ProjectAuditPage() {
  const { t } = useTranslation("audit");
  const project = useProjectName();
  return (
    <AuditList
      listKey="project-audit"
      queryKey={["audit", "project", project]}
      description={t("projectText")}
      isAcrossProjects={false}
      load={({ filters, ...query }) => unwrap(api.GET("/api/v1/projects/{project}/audit", { params: { path: { project }, query: { ...query, ...filters } } }))}
    />
  );
}
