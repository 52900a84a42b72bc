import { Button, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { projectPath, useProjectName } from "@/features/projects/current-project";
import { TerminalPanel } from "@/features/terminal/TerminalPanel";
import { UsageCharts } from "@/features/workloads/UsageCharts";
import { WorkloadEvents } from "@/features/workloads/WorkloadEvents";
import { WorkloadLogs } from "@/features/workloads/WorkloadLogs";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { ActionButtons } from "@/ui/ActionButtons";
import { EmptyState } from "@/ui/EmptyState";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { useEnvironmentActions } from "./environment-actions";
import { EnvironmentNotice } from "./EnvironmentNotice";
import { environmentQuery } from "./queries";
import { SettingsTab } from "./SettingsTab";
import { SshPanel } from "./SshPanel";
import { StopsAt } from "./StopsAt";
import type { EnvironmentView } from "./types";

export default function EnvironmentPage() {
  const { t } = useTranslation("environments");
  const project = useProjectName();
  const { environment: name = "" } = useParams();
  const navigate = useNavigate();
  const actions = useEnvironmentActions(project, () => void navigate(projectPath(project, "environments")));
  return (
    <>
      <ThingPage<EnvironmentView>
        query={useQuery(environmentQuery(project, name))}
        render={(environment) => ({
          name: environment.name,
          id: environment.id,
          badge: <WorkloadState of={environment.workload ? { ...environment.workload, state: environment.state } : environment} isShort />,
          description: environment.description,
          facts: (
            <>
              <span>{environment.image}</span>
              {environment.spec && <span>{environment.spec}</span>}
              <span>{t("madeBy", { name: environment.created_by })}</span>
              <RelativeTime at={environment.created_at} />
              {environment.state === "running" && <StopsAt environment={environment} />}
            </>
          ),
          actions: <HeaderActions environment={environment} actions={actions} />,
          banner: <EnvironmentNotice project={project} environment={environment} />,
          tabs: tabsOf(project, environment, t),
        })}
      />
      {actions.dialog}
    </>
  );
}

function HeaderActions({ environment, actions }: { environment: EnvironmentView; actions: ReturnType<typeof useEnvironmentActions> }) {
  const main = actions.main(environment);
  return (
    <>
      <Tooltip title={main.disabledReason}>
        <Button type="primary" icon={main.icon} disabled={main.disabledReason !== undefined} onClick={main.onClick}>
          {main.label}
        </Button>
      </Tooltip>
      <ActionButtons shown={2} actions={actions.rest(environment)} />
    </>
  );
}

function tabsOf(project: string, environment: EnvironmentView, t: ReturnType<typeof useTranslation<"environments">>["t"]): ThingTab[] {
  const { workload } = environment;
  const settings = { key: "settings", label: t("tabs.settings"), content: <SettingsTab environment={environment} /> };
  const ssh = { key: "ssh", label: t("tabs.ssh"), content: <SshPanel project={project} environment={environment} /> };
  if (!workload) return [settings, ssh];
  const ref = { project, id: workload.id };
  const isRunning = workload.state === "running";
  return [
    settings,
    { key: "resources", label: t("tabs.resources"), content: <UsageCharts key={ref.id} workload={ref} state={workload.state} nodes={workload.nodes} attempts={workload.attempt} /> },
    { key: "logs", label: t("tabs.logs"), content: <WorkloadLogs key={ref.id} workload={ref} nodes={workload.nodes} attempts={workload.attempt} /> },
    { key: "events", label: t("tabs.events"), content: <WorkloadEvents key={ref.id} workload={ref} /> },
    {
      key: "terminal",
      label: t("tabs.terminal"),
      content: isRunning ? <TerminalPanel key={ref.id} project={project} workload={workload} /> : <EmptyState title={t("refused.notRunning")} />,
    },
    ssh,
  ];
}
