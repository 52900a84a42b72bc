/** A terminal on any workload that runs, with the whole page to itself. */
import { Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { workloadQuery } from "@/features/workloads/queries";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { NotFound } from "@/ui/NotFound";
import { PageHeader } from "@/ui/PageHeader";
import { terminalPermission } from "./permission";
import { TerminalPanel } from "./TerminalPanel";

export default function TerminalPage() {
  const { t } = useTranslation("terminal");
  const project = useProjectName();
  const { workload: id = "" } = useParams();
  const query = useQuery(workloadQuery({ project, id }));
  const canEnter = useProjectPermission(project, terminalPermission(query.data?.kind ?? ""));
  if (query.isPending) return <Skeleton active paragraph={{ rows: 8 }} />;
  if (!query.data) return isNotFound(query.error) ? <NotFound /> : <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const workload = query.data;
  return (
    <section>
      <PageHeader
        title={
          <>
            {workload.name}
            <WorkloadState of={workload} isShort />
          </>
        }
      />
      {!canEnter ? (
        <EmptyState title={t("notAllowed")} text={t("notAllowedText", { permission: terminalPermission(workload.kind) })} />
      ) : workload.state === "running" ? (
        <TerminalPanel project={project} workload={workload} isAlone />
      ) : (
        <EmptyState title={t("notRunning")} text={t("notRunningText")} />
      )}
    </section>
  );
}
