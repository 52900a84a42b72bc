import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { projectPath, useProjectName } from "@/features/projects/current-project";
import { useSpecText } from "@/features/specs/spec-text";
import { useFormat } from "@/lib/format";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listWorkloads } from "./api";
import { Duration } from "./Duration";
import { KINDS, useKindText } from "./kind-text";
import { workloadsKey } from "./queries";
import { canStop, STATES } from "./states";
import { useStopAction } from "./StopButton";
import type { WorkloadView } from "./types";
import { WorkloadState } from "./WorkloadState";

/** Everything that runs in the project, of whatever kind. */
export default function WorkloadsPage() {
  const { t } = useTranslation(["workloads", "common"]);
  const project = useProjectName();
  const kindText = useKindText();
  const stop = useStopAction({ project });
  return (
    <ListPage<WorkloadView>
      listKey="workloads"
      queryKey={[...workloadsKey, "lists", project]}
      load={(query) => listWorkloads(project, query)}
      title={t("title")}
      description={t("text")}
      columns={useColumns(project)}
      filters={[
        { kind: "select", key: "kind", label: t("kind.label"), options: KINDS.map((kind) => ({ value: kind, label: kindText(kind) })) },
        { kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`state.${state}`) })) },
        { kind: "toggle", key: "mine", label: t("common:list.onlyMine") },
      ]}
      keyOf={(workload) => workload.id}
      nameOf={(workload) => workload.name}
      rowActions={(workload) => (canStop(workload.state) ? [stop(workload)] : [])}
      empty={{ title: t("empty"), text: t("emptyText") }}
    />
  );
}

function useColumns(project: string): ListColumn<WorkloadView>[] {
  const { t } = useTranslation(["workloads", "common"]);
  const format = useFormat();
  const kindText = useKindText();
  const specText = useSpecText();
  const none = <span className="tm-muted">–</span>;
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (workload) => <Link to={projectPath(project, "workloads", workload.id)}>{workload.name}</Link> },
    { key: "kind", title: t("kind.label"), render: (workload) => kindText(workload.kind) },
    { key: "state", title: t("common:field.state"), render: (workload) => <WorkloadState of={workload} /> },
    { key: "resources", title: t("field.resources"), render: (workload) => specText(workload.resources) },
    { key: "nodes", title: t("field.nodes"), align: "right", render: (workload) => format.number(workload.nodes_count) },
    { key: "priority", title: t("priority.label"), isHidden: true, render: (workload) => t(`priority.${workload.priority}`) },
    { key: "place", title: t("field.place"), align: "right", isHidden: true, render: (workload) => (workload.place === null ? none : format.number(workload.place)) },
    { key: "duration", title: t("field.duration"), render: (workload) => <Duration of={workload} /> },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (workload) => <RelativeTime at={workload.created_at} /> },
    { key: "by", title: t("common:field.createdBy"), render: (workload) => workload.created_by },
  ];
}
