import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { useEntryActions } from "@/features/workloads/entry-actions";
import { copyInference, deleteInference, startInference } from "./api";
import { entriesPath, entryPath, runPath, useRefreshInference } from "./queries";
import { StartForm } from "./StartForm";
import type { InferenceView, StartBody } from "./types";

/** What can be done with an entry, in its list and on its page. */
export function useInferenceActions(project: string) {
  const { t } = useTranslation("inference");
  const canWrite = useProjectPermission(project, "inference.write");
  const refOf = (entry: InferenceView) => ({ project, inference: entry.id });
  return useEntryActions<InferenceView, StartBody>({
    refusal: canWrite ? undefined : t("notAllowed"),
    listPath: entriesPath(project),
    pathOf: (name) => entryPath(project, name),
    start: async (entry, body) => {
      const run = await startInference(refOf(entry), body);
      return { name: run.name, path: runPath(project, entry.name, run.number) };
    },
    copy: (entry, name) => copyInference(refOf(entry), name),
    remove: (entry) => deleteInference(refOf(entry)),
    refresh: useRefreshInference(),
    startForm: (entry, onStart, onClose) => <StartForm project={project} entry={entry} onStart={onStart} onClose={onClose} />,
    words: {
      created: (name) => t("created", { name }),
      deleteTitle: (name) => t("delete.title", { name }),
      deleted: (name) => t("delete.done", { name }),
    },
  });
}
