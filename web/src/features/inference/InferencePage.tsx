import { PlayCircleOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import type { Scene } from "@/features/assets/kinds";
import { useSceneText } from "@/features/assets/texts";
import { useProjectName } from "@/features/projects/current-project";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { useInferenceActions } from "./inference-actions";
import { entryQuery } from "./queries";
import { RunsList } from "./RunsList";
import { SettingsFacts } from "./SettingsFacts";
import type { InferenceView } from "./types";

export default function InferencePage() {
  const { t } = useTranslation(["inference", "common"]);
  const project = useProjectName();
  const { inference = "" } = useParams();
  const sceneText = useSceneText();
  const { actionsOf, dialog } = useInferenceActions(project);
  return (
    <>
      <ThingPage<InferenceView>
        query={useQuery(entryQuery({ project, inference }))}
        render={(entry) => {
          const [start, ...rest] = actionsOf(entry);
          return {
            name: entry.name,
            id: entry.id,
            description: entry.description,
            facts: (
              <>
                <span>{t(`form.${entry.form}`)}</span>
                <span>{sceneText(entry.scene as Scene)}</span>
                <span>{t("createdBy", { name: entry.created_by })}</span>
                <RelativeTime at={entry.created_at} />
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
              { key: "runs", label: t("runs"), content: <RunsList project={project} entry={entry} /> },
              { key: "settings", label: t("common:tab.settings"), content: <SettingsFacts project={project} settings={entry.settings} /> },
            ],
          };
        }}
      />
      {dialog}
    </>
  );
}
