import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { WaitingCard } from "@/features/workloads/WaitingCard";
import { workloadQuery } from "@/features/workloads/queries";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import type { PackageVersion } from "./types";

/** What the build says, as it says it. */
export function BuildLog({ project, version }: { project: string; version: PackageVersion }) {
  const { t } = useTranslation("packages");
  const id = version.workload_id;
  const workload = useQuery({ ...workloadQuery({ project, id: id ?? "" }), enabled: id !== null });
  if (id === null) return <EmptyState title={t("log.none")} text={t("log.noneText")} />;
  if (!workload.data) return workload.isError ? <EmptyState title={t("log.gone")} /> : <Loading />;
  return (
    <>
      {workload.data.state === "pending" && <WaitingCard workload={{ project, id }} since={workload.data.created_at} />}
      <WorkloadLogs key={id} workload={{ project, id }} nodes={workload.data.nodes} attempts={workload.data.attempt} />
    </>
  );
}
