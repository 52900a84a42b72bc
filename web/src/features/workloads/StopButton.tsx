import { PoweroffOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import type { ProjectPermission } from "@/lib/permissions";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { stopWorkload } from "./api";
import { takeWorkload } from "./queries";
import { canStop } from "./states";
import type { WorkloadState } from "./types";

export interface Stoppable {
  /** The workload. */
  id: string;
  name: string;
  state: WorkloadState;
  /** How to stop it, where that is not simply stopping the workload. */
  stop?: () => Promise<unknown>;
}

interface StopOptions {
  project: string;
  /** What is said will happen; for a thing with more to lose than its processes. */
  text?: string;
  permission?: ProjectPermission;
}

/** Asks, then stops; the same wherever something that runs is stopped. */
export function useStopAction({ project, text, permission = "workload.write" }: StopOptions): (workload: Stoppable) => RowAction {
  const { t } = useTranslation("workloads");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const canWrite = useProjectPermission(project, permission);
  return (workload) => ({
    key: "stop",
    label: t("stop.action"),
    icon: <PoweroffOutlined aria-hidden />,
    isDanger: true,
    disabledReason: canWrite ? undefined : t("stop.notAllowed", { permission }),
    onClick: () =>
      confirm({
        title: t("stop.title", { name: workload.name }),
        text: text ?? t("stop.text"),
        okText: t("stop.action"),
        onConfirm: async () => {
          if (workload.stop) await workload.stop();
          else takeWorkload(client, await stopWorkload({ project, id: workload.id }));
          notify.done(t("stop.done", { name: workload.name }));
        },
      }),
  });
}

export function StopButton({ workload, ...options }: StopOptions & { workload: Stoppable }) {
  const action = useStopAction(options)(workload);
  if (!canStop(workload.state)) return null;
  return (
    <Tooltip title={action.disabledReason}>
      <Button danger icon={action.icon} disabled={action.disabledReason !== undefined} onClick={action.onClick}>
        {action.label}
      </Button>
    </Tooltip>
  );
}
