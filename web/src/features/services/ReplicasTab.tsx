import { CodeOutlined, FileTextOutlined } from "@ant-design/icons";
import { Drawer } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { projectPath, useProjectPermission } from "@/features/projects/current-project";
import { terminalPath } from "@/features/terminal/addresses";
import { terminalPermission } from "@/features/terminal/permission";
import { workloadQuery } from "@/features/workloads/queries";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { useAddress } from "@/ui/address";
import { EmptyState } from "@/ui/EmptyState";
import { IconButton } from "@/ui/IconButton";
import { Loading } from "@/ui/Loading";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listReplicas } from "./api";
import type { ServiceRef } from "./api";
import { serviceKey } from "./queries";
import { ReplicaBadge } from "./ServiceBadge";
import { isRunning } from "./states";
import type { ReplicaView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

/** The processes behind the service: their state, their logs, a terminal into each. */
export function ReplicasTab({ of }: { of: ServiceRef }) {
  const { t } = useTranslation("services");
  const [params, change] = useAddress();
  const log = params.get("log");
  const looked = useQuery({ ...workloadQuery({ project: of.project, id: log ?? "" }), enabled: log !== null });
  return (
    <>
      <ListPage<ReplicaView>
        listKey="replicas"
        queryKey={[...serviceKey(of), "replicas"]}
        load={(query) => listReplicas(of, query)}
        columns={useColumns(of.project, (replica) => change({ log: replica.workload_id }))}
        keyOf={(replica) => replica.id}
        nameOf={(replica) => replica.name}
        filters={[{ kind: "toggle", key: "ended", label: t("replicas.ended") }]}
        isSearchable={false}
        empty={{ title: t("replicas.none"), text: t("replicas.noneText") }}
      />
      <Drawer open={log !== null} onClose={() => change({ log: null })} title={looked.data ? t("replicas.logOf", { name: looked.data.name }) : t("replicas.log")} size={960} destroyOnHidden>
        {log !== null && <ReplicaLog project={of.project} id={log} />}
      </Drawer>
    </>
  );
}

function ReplicaLog({ project, id }: { project: string; id: string }) {
  const { t } = useTranslation("services");
  const workload = useQuery(workloadQuery({ project, id }));
  if (!workload.data) return workload.isError ? <EmptyState title={t("replicas.logGone")} /> : <Loading />;
  return <WorkloadLogs workload={{ project, id }} nodes={workload.data.nodes} attempts={workload.data.attempt} />;
}

function useColumns(project: string, openLog: (replica: ReplicaView) => void): ListColumn<ReplicaView>[] {
  const { t } = useTranslation(["services", "common", "terminal"]);
  const canEnter = useProjectPermission(project, terminalPermission("replica"));
  return [
    { key: "name", title: t("common:field.name"), render: (replica) => <Link to={projectPath(project, "workloads", replica.workload_id)}>{replica.name}</Link> },
    {
      key: "state",
      title: t("common:field.state"),
      render: (replica) => (
        <>
          <ReplicaBadge state={replica.state} reason={replica.reason} />
          {replica.reason && <div className={`${surfaces.small} ${styles.small}`}>{replica.reason}</div>}
        </>
      ),
    },
    { key: "role", title: t("deploymentRole"), render: (replica) => (replica.role ? t(`role.${replica.role}`) : <span className="tm-muted">–</span>) },
    { key: "number", title: t("deployment"), align: "right", render: (replica) => replica.number },
    { key: "machine", title: t("replicas.machine"), render: (replica) => replica.machine ?? <span className="tm-muted">–</span> },
    { key: "created", title: t("common:field.createdAt"), render: (replica) => <RelativeTime at={replica.created_at} /> },
    { key: "ready", title: t("replicas.readyAt"), render: (replica) => <RelativeTime at={replica.ready_at} /> },
    { key: "endedAt", title: t("replicas.endedAt"), isHidden: true, render: (replica) => <RelativeTime at={replica.ended_at} /> },
    {
      key: "look",
      title: t("replicas.look"),
      render: (replica) => (
        <span className={surfaces.line}>
          <IconButton size="small" icon={<FileTextOutlined aria-hidden />} label={t("replicas.logOf", { name: replica.name })} onClick={() => openLog(replica)} />
          <TerminalButton project={project} replica={replica} refusal={!canEnter ? t("notAllowed") : isRunning(replica.state) ? undefined : t("replicas.notRunning")} />
        </span>
      ),
    },
  ];
}

function TerminalButton({ project, replica, refusal }: { project: string; replica: ReplicaView; refusal?: string }) {
  const { t } = useTranslation("services");
  const label = refusal ?? t("replicas.terminalOf", { name: replica.name });
  return <IconButton size="small" icon={<CodeOutlined aria-hidden />} label={label} disabled={refusal !== undefined} href={refusal === undefined ? terminalPath(project, replica.workload_id) : undefined} target="_blank" />;
}
