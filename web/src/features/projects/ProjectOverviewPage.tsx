import { useTranslation } from "react-i18next";
import type { ProjectView } from "@/api/types";
import { Figure, Overview } from "@/features/overview/Overview";
import { RefreshSelect, useRefreshInterval } from "@/features/overview/refresh";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { Tag } from "antd";
import { projectPath, useProject, useProjectName } from "./current-project";
import { ProjectSettings } from "./ProjectSettings";
import { StorageMeter } from "./StorageMeter";
import styles from "./Projects.module.css";

export default function ProjectOverviewPage() {
  const { t } = useTranslation(["projects", "common"]);
  const name = useProjectName();
  return (
    <ThingPage<ProjectView>
      query={useProject(name)}
      render={(project) => {
        const canChange = project.permissions.includes("project.update") || project.permissions.includes("project.delete");
        const overview = { key: "overview", label: t("common:tab.overview"), content: <ProjectFacts project={project} /> };
        const settings = { key: "settings", label: t("common:tab.settings"), content: <ProjectSettings key={project.updated_at} project={project} /> };
        return {
          name: project.name,
          id: project.id,
          badge: project.is_public && <Tag>{t("public")}</Tag>,
          description: project.description,
          tabs: canChange ? [overview, settings] : [overview],
        };
      }}
    />
  );
}

function ProjectFacts({ project }: { project: ProjectView }) {
  const { t } = useTranslation(["projects", "common"]);
  const [refreshS, setRefreshS] = useRefreshInterval();
  const figures = (
    <Figure label={t("members")} value={project.members_count} to={project.permissions.includes("member.read") ? projectPath(project.name, "members") : null} />
  );
  return (
    <>
      {project.permissions.includes("workload.read") ? (
        <>
          <div className={styles.refresh}>
            <RefreshSelect value={refreshS} onChange={setRefreshS} />
          </div>
          <Overview project={project.name} refreshS={refreshS} figures={figures} />
        </>
      ) : (
        <div className={styles.figures}>
          {figures}
          <Figure label={t("assets")} value={project.assets_count} to={null} />
        </div>
      )}
      <Panel title={t("storage")}>
        <StorageMeter project={project} />
      </Panel>
      <Panel title={t("quota")}>
        <Facts facts={useQuotaFacts(project)} />
      </Panel>
      <Panel title={t("about")}>
        <Facts
          facts={[
            { key: "created", label: t("common:field.createdAt"), value: <RelativeTime at={project.created_at} /> },
            { key: "by", label: t("common:field.createdBy"), value: project.created_by },
            { key: "updated", label: t("common:field.updatedAt"), value: <RelativeTime at={project.updated_at} /> },
          ]}
        />
      </Panel>
    </>
  );
}

function useQuotaFacts(project: ProjectView): Fact[] {
  const { t } = useTranslation("projects");
  const format = useFormat();
  const { cpu, memory_bytes, accelerators = {} } = project.quota;
  return [
    { key: "cpu", label: t("cpu"), value: cpu === null || cpu === undefined ? t("noLimit") : format.number(cpu) },
    { key: "memory", label: t("memory"), value: memory_bytes === null || memory_bytes === undefined ? t("noLimit") : format.bytes(memory_bytes) },
    ...Object.entries(accelerators).map(([name, count]) => ({ key: name, label: name, value: format.number(count) })),
  ];
}
