import { Table } from "antd";
import { useTranslation } from "react-i18next";
import { Panel } from "@/ui/Facts";
import { TableBox } from "@/ui/ScrollBox";
import type { NodeView } from "./types";

/** Where a workload's nodes are and what they were given. */
export function NodesPanel({ nodes }: { nodes: NodeView[] }) {
  const { t } = useTranslation("workloads");
  return (
    <Panel title={t("nodes")}>
      {nodes.length === 0 ? (
        <span className="tm-muted">{t("noNodes")}</span>
      ) : (
        <TableBox label={t("nodes")}>
          <Table<NodeView>
            size="small"
            rowKey="index"
            dataSource={nodes}
            pagination={false}
            columns={[
              { key: "index", title: t("node"), dataIndex: "index" },
              { key: "host", title: t("field.host"), dataIndex: "host_name", render: (host: string) => <code>{host}</code> },
              { key: "machine", title: t("field.machine"), dataIndex: "machine" },
              { key: "devices", title: t("field.devices"), render: (_value, node) => (node.devices ?? []).join(", ") || "–" },
              { key: "exit", title: t("field.exitCode"), render: (_value, node) => node.exit_code ?? "–" },
            ]}
          />
        </TableBox>
      )}
    </Panel>
  );
}
