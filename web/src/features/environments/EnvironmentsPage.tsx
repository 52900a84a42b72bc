import { PlusOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { STATES } from "@/features/workloads/states";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listEnvironments } from "./api";
import { useEnvironmentActions } from "./environment-actions";
import type { EnvironmentActions } from "./environment-actions";
import { environmentPath, environmentsKey } from "./queries";
import { StopsAt } from "./StopsAt";
import type { EnvironmentView } from "./types";

export default function EnvironmentsPage() {
  const { t } = useTranslation(["environments", "common", "workloads"]);
  const project = useProjectName();
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "environment.write");
  const actions = useEnvironmentActions(project);
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(projectPath(project, "environments", "new"))}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<EnvironmentView>
        listKey="environments"
        queryKey={environmentsKey(project)}
        load={(query) => listEnvironments(project, query)}
        title={t("title")}
        description={t("about")}
        columns={useColumns(project, actions)}
        keyOf={(environment) => environment.id}
        nameOf={(environment) => environment.name}
        searchLabel={t("search")}
        defaultSort="-created_at"
        filters={[
          { kind: "select", key: "state", label: t("common:field.state"), options: STATES.map((state) => ({ value: state, label: t(`workloads:state.${state}`) })) },
          { kind: "toggle", key: "mine", label: t("common:list.onlyMine") },
        ]}
        primaryAction={create}
        rowActions={actions.rest}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {actions.dialog}
    </>
  );
}

function useColumns(project: string, actions: EnvironmentActions): ListColumn<EnvironmentView>[] {
  const { t } = useTranslation(["environments", "common"]);
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (environment) => <Link to={environmentPath(project, environment)}>{environment.name}</Link> },
    { key: "state", title: t("common:field.state"), render: (environment) => <WorkloadState of={environment.workload ? { ...environment.workload, state: environment.state } : environment} isShort /> },
    { key: "image", title: t("image"), render: (environment) => environment.image },
    { key: "spec", title: t("spec"), render: (environment) => [environment.spec ?? environment.workload?.spec, environment.nodes > 1 && t("nodeCount", { count: environment.nodes })].filter(Boolean).join(" · ") || "–" },
    { key: "left", title: t("remaining"), render: (environment) => <StopsAt environment={environment} /> },
    { key: "by", title: t("owner"), render: (environment) => environment.created_by },
    { key: "created", title: t("common:field.createdAt"), sort: "created_at", render: (environment) => <RelativeTime at={environment.created_at} /> },
    {
      key: "open",
      title: "",
      render: (environment) => {
        const { label, icon, disabledReason, onClick } = actions.main(environment);
        return (
          <Tooltip title={disabledReason}>
            <Button size="small" icon={icon} disabled={disabledReason !== undefined} onClick={onClick}>
              {label}
            </Button>
          </Tooltip>
        );
      },
    },
  ];
}
