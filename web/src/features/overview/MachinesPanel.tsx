/** The machines of the platform: what each has, what of it is in use, how it runs things. */
import { useQuery } from "@tanstack/react-query";
import { Skeleton, Table, Tag } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { listMachines } from "./api";
import type { MachineView } from "./types";
import styles from "./Overview.module.css";

const PAGE = 20;

export function MachinesPanel({ refreshS }: { refreshS: number }) {
  const { t } = useTranslation("overview");
  const machines = useQuery({ queryKey: ["overview", null, "machines"], queryFn: listMachines, refetchInterval: refreshS > 0 ? refreshS * 1000 : false });
  return (
    <Panel title={t("machines.title")}>
      {machines.isPending && <Skeleton active />}
      {machines.isError && !machines.data && <ErrorState error={machines.error} onRetry={() => void machines.refetch()} />}
      {machines.data && (
        <TableBox label={t("machines.title")}>
          <MachineTable machines={machines.data} />
        </TableBox>
      )}
    </Panel>
  );
}

function MachineTable({ machines }: { machines: MachineView[] }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  return (
    <Table<MachineView>
      size="small"
      rowKey="name"
      dataSource={machines}
      pagination={machines.length > PAGE && { pageSize: PAGE, showSizeChanger: false }}
      columns={[
        { key: "name", title: t("machines.name"), dataIndex: "name" },
        { key: "workloads", title: t("machines.workloads"), align: "right", render: (_value, machine) => format.number(machine.workloads) },
        { key: "cpus", title: t("resource.cpu"), align: "right", render: (_value, machine) => t("machines.of", { used: format.decimal(machine.cpus_used, 2), all: format.decimal(machine.cpus, 2) }) },
        { key: "memory", title: t("resource.memory"), align: "right", render: (_value, machine) => t("machines.of", { used: format.bytes(machine.memory_used_bytes), all: format.bytes(machine.memory_bytes) }) },
        { key: "devices", title: t("machines.devices"), render: (_value, machine) => <Devices machine={machine} /> },
        { key: "runtimes", title: t("machines.runtimes"), render: (_value, machine) => <Runtimes machine={machine} /> },
        { key: "seen", title: t("machines.seen"), render: (_value, machine) => <RelativeTime at={machine.seen_at} /> },
      ]}
    />
  );
}

function Devices({ machine }: { machine: MachineView }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  if (machine.devices.length === 0) return <span className="tm-muted">–</span>;
  return (
    <span className={styles.tags}>
      {machine.devices.map((device) => (
        <Tag key={device.id}>{device.used > 0 ? t("machines.deviceUsed", { id: device.id, used: format.percent(device.used) }) : device.id}</Tag>
      ))}
    </span>
  );
}

/** How it can run things, with the limits that it really holds there. */
function Runtimes({ machine }: { machine: MachineView }) {
  const { t } = useTranslation("overview");
  return (
    <>
      {machine.runtimes.map((runtime) => {
        const limits = machine.enforced[runtime] ?? [];
        return (
          <div key={runtime}>
            {runtime} <span className="tm-muted">{limits.length > 0 ? t("machines.enforced", { limits: limits.join(", ") }) : t("machines.notEnforced")}</span>
          </div>
        );
      })}
    </>
  );
}
