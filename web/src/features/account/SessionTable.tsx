import { LogoutOutlined } from "@ant-design/icons";
import { Skeleton, Table, Tag } from "antd";
import type { TableColumnType } from "antd";
import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SessionView } from "@/api/types";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { IconButton } from "@/ui/IconButton";
import { RelativeTime } from "@/ui/RelativeTime";
import { useDeviceName } from "./device-name";

interface SessionTableProps {
  query: UseQueryResult<{ items: SessionView[] }>;
  onEnd?: (session: SessionView) => void;
}

/** Where somebody is signed in. */
export function SessionTable({ query, onEnd }: SessionTableProps) {
  const { t } = useTranslation(["account", "common"]);
  const deviceName = useDeviceName();
  if (query.isPending) return <Skeleton active />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.items.length === 0) return <EmptyState title={t("sessions.none")} />;

  const columns: TableColumnType<SessionView>[] = [
    {
      key: "device",
      title: t("sessions.device"),
      render: (_, session) => (
        <span title={session.user_agent}>
          {deviceName(session.user_agent)} {session.current && <Tag color="success">{t("sessions.current")}</Tag>}
        </span>
      ),
    },
    { key: "address", title: t("sessions.address"), render: (_, session) => <code>{session.address}</code> },
    { key: "seen", title: t("sessions.lastSeen"), render: (_, session) => <RelativeTime at={session.last_seen_at} /> },
    { key: "since", title: t("sessions.since"), render: (_, session) => <RelativeTime at={session.created_at} /> },
    { key: "until", title: t("sessions.until"), render: (_, session) => <RelativeTime at={session.expires_at} /> },
  ];
  if (onEnd) {
    columns.push({
      key: "end",
      title: <span className="tm-hidden">{t("common:list.actions")}</span>,
      align: "right",
      render: (_, session) => <IconButton size="small" icon={<LogoutOutlined aria-hidden />} label={session.current ? t("sessions.endCurrent") : t("sessions.end")} onClick={() => onEnd(session)} />,
    });
  }
  return (
    <Panel>
      <Table<SessionView> size="small" rowKey="id" columns={columns} dataSource={query.data.items} pagination={false} style={{ overflowX: "auto" }} />
    </Panel>
  );
}
