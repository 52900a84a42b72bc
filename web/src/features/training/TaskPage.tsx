import { PlayCircleOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { taskQuery } from "./queries";
import { RunsList } from "./RunsList";
import { SettingsFacts } from "./SettingsFacts";
import { useTaskActions } from "./task-actions";
import type { TaskView } from "./types";

export default function TaskPage() {
  const { t } = useTranslation(["training", "common"]);
  const project = useProjectName();
  const { task = "" } = useParams();
  const { actionsOf, dialog } = useTaskActions(project);
  return (
    <>
      <ThingPage<TaskView>
        query={useQuery(taskQuery({ project, task }))}
        render={(found) => {
          const [start, ...rest] = actionsOf(found);
          return {
            name: found.name,
            id: found.id,
            description: found.description,
            facts: (
              <>
                <span>{t("createdBy", { name: found.created_by })}</span>
                <RelativeTime at={found.created_at} />
              </>
            ),
            actions: (
              <>
                {start && (
                  <Tooltip title={start.disabledReason}>
                    <Button type="primary" icon={<PlayCircleOutlined aria-hidden />} disabled={start.disabledReason !== undefined} onClick={start.onClick}>
                      {start.label}
                    </Button>
                  </Tooltip>
                )}
                <ActionButtons actions={rest} shown={2} />
              </>
            ),
            tabs: [
              { key: "runs", label: t("runs"), content: <RunsList project={project} task={found} /> },
              { key: "settings", label: t("common:tab.settings"), content: <SettingsFacts project={project} settings={found} /> },
            ],
          };
        }}
      />
      {dialog}
    </>
  );
}
