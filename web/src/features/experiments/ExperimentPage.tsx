import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { useExperimentActions } from "./experiment-actions";
import { HowToLog } from "./HowToLog";
import { ParallelPanel } from "./ParallelPanel";
import { experimentQuery } from "./queries";
import { RunsTable } from "./RunsTable";
import type { ExperimentView } from "./types";

export default function ExperimentPage() {
  const { t } = useTranslation(["experiments", "common"]);
  const project = useProjectName();
  const format = useFormat();
  const { experiment: id = "" } = useParams();
  const { actionsOf, dialog } = useExperimentActions(project);
  return (
    <>
      <ThingPage<ExperimentView>
        query={useQuery(experimentQuery({ project, experiment: id }))}
        render={(experiment) => ({
          name: experiment.name,
          id: experiment.id,
          description: experiment.description,
          facts: (
            <>
              <span>{t("runsCount", { count: experiment.runs_count, number: format.number(experiment.runs_count) })}</span>
              <span>{t("createdBy", { name: experiment.created_by })}</span>
              <RelativeTime at={experiment.created_at} />
              {experiment.deleted_at !== null && <span>{t("isDeleted")}</span>}
            </>
          ),
          actions: <ActionButtons actions={actionsOf(experiment)} />,
          tabs: [
            { key: "runs", label: t("runs"), content: <RunsTable project={project} experiment={experiment} /> },
            { key: "coordinates", label: t("parallel.title"), content: <ParallelPanel project={project} experiment={experiment} /> },
            { key: "how", label: t("how.tab"), content: <HowToLog project={project} experiment={experiment.name} /> },
          ],
        })}
      />
      {dialog}
    </>
  );
}
