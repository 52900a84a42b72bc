import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { useEntryActions } from "@/features/workloads/entry-actions";
import { copyTask, deleteTask, startTask } from "./api";
import { runPath, taskPath, tasksPath, useRefreshTraining } from "./queries";
import type { StartBody } from "./start-values";
import { StartForm } from "./StartForm";
import type { TaskView } from "./types";

/** What can be done with a task, in its list and on its page. */
export function useTaskActions(project: string) {
  const { t } = useTranslation("training");
  const canWrite = useProjectPermission(project, "training.write");
  const refOf = (task: TaskView) => ({ project, task: task.id });
  return useEntryActions<TaskView, StartBody>({
    refusal: canWrite ? undefined : t("notAllowed"),
    listPath: tasksPath(project),
    pathOf: (name) => taskPath(project, name),
    start: async (task, body) => {
      const run = await startTask(refOf(task), body);
      return { name: run.name, path: runPath(project, run) };
    },
    copy: (task, name) => copyTask(refOf(task), name),
    remove: (task) => deleteTask(refOf(task)),
    refresh: useRefreshTraining(),
    startForm: (task, onStart, onClose) => <StartForm task={task} onStart={onStart} onClose={onClose} />,
    words: {
      created: (name) => t("created", { name }),
      deleteTitle: (name) => t("delete.title", { name }),
      deleted: (name) => t("delete.done", { name }),
    },
  });
}
