import { useMemo, useState } from "react";
import { Button } from "antd";
import type { QueryKey } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { AuditView } from "@/api/types";
import { projectPath } from "@/features/projects/current-project";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, ListFilter, ListLoader } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { AuditDrawer } from "./AuditDrawer";

const TARGETS = ["user", "group", "role", "project", "member", "session", "token", "webhook", "job", "algorithm", "algorithm_version", "model", "model_version"] as const;

interface AuditListProps {
  listKey: string;
  queryKey: QueryKey;
  load: ListLoader<AuditView>;
  description: string;
  isAcrossProjects: boolean;
}

/** Who did what, when, from where. The same for the platform and for one project. */
export function AuditList({ listKey, queryKey, load, description, isAcrossProjects }: AuditListProps) {
  const { t } = useTranslation("audit");
  const [opened, setOpened] = useState<AuditView | null>(null);
  const filters = useMemo<ListFilter[]>(
    () => [
      { kind: "text", key: "actor", label: t("actor") },
      { kind: "text", key: "action", label: t("action") },
      { kind: "select", key: "target_kind", label: t("targetKind"), options: TARGETS.map((kind) => ({ value: kind, label: t(`target.${kind}`) })) },
      { kind: "dates", key: "dates", label: t("when"), sinceKey: "since", untilKey: "until" },
    ],
    [t],
  );
  const columns: ListColumn<AuditView>[] = [
    { key: "at", title: t("when"), width: 140, render: (entry) => <RelativeTime at={entry.at} /> },
    { key: "actor", title: t("actor"), render: (entry) => entry.actor },
    {
      key: "action",
      title: t("action"),
      render: (entry) => (
        <Button type="link" size="small" style={{ padding: 0 }} onClick={() => setOpened(entry)}>
          <code>{entry.action}</code>
        </Button>
      ),
    },
    { key: "target", title: t("targetName"), render: (entry) => entry.target_name },
    ...(isAcrossProjects
      ? [
          {
            key: "project",
            title: t("project"),
            render: (entry: AuditView) => (entry.project ? <Link to={projectPath(entry.project)}>{entry.project}</Link> : <span className="tm-muted">–</span>),
          },
        ]
      : []),
    { key: "address", title: t("address"), render: (entry) => (entry.address ? <code>{entry.address}</code> : <span className="tm-muted">–</span>) },
    { key: "by", title: t("through"), render: (entry) => t(`kind.${entry.actor_kind}`) },
    { key: "request", title: t("request"), isHidden: true, render: (entry) => <code>{entry.request_id}</code> },
  ];
  return (
    <>
      <ListPage<AuditView>
        listKey={listKey}
        queryKey={queryKey}
        load={load}
        title={t("title")}
        description={description}
        columns={columns}
        keyOf={(entry) => entry.id}
        nameOf={(entry) => entry.action}
        filters={filters}
        searchLabel={t("search")}
        empty={{ title: t("empty"), text: t("emptyText") }}
      />
      <AuditDrawer entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
