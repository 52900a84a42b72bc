/** One label set: its labels, edited as those of a dataset are. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { isSame, withChanged, withMoved } from "@/features/datasets/labels/label-draft";
import type { LabelDraft } from "@/features/datasets/labels/label-draft";
import { LabelsEditor } from "@/features/datasets/labels/LabelsEditor";
import type { LabelChanges } from "@/features/datasets/labels/LabelsEditor";
import { projectPath, useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { ActionButtons } from "@/ui/ActionButtons";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { updateLabelSet } from "./api";
import type { LabelSetView, SetLabel } from "./api";
import { useLabelSetActions } from "./label-set-actions";
import { labelSetPath, labelSetQuery, useLabelSetsRefresh } from "./queries";

export default function LabelSetPage() {
  const { t } = useTranslation("labelSets");
  const { set: name = "" } = useParams();
  const project = useProjectName();
  const navigate = useNavigate();
  const canWrite = useProjectPermission(project, "dataset.write");
  const query = useQuery(labelSetQuery(project, name));
  const { actionsOf, dialog } = useLabelSetActions(project, {
    onDeleted: () => navigate(projectPath(project, "label-sets"), { flushSync: true }),
    onRenamed: (set) => navigate(labelSetPath(project, set.name), { replace: true }),
  });
  return (
    <>
      <ThingPage<LabelSetView>
        query={query}
        render={(set) => ({
          name: set.name,
          id: set.id,
          facts: (
            <>
              <span>{t("count", { count: set.labels_count })}</span>
              <span>{set.created_by}</span>
              <RelativeTime at={set.updated_at} />
            </>
          ),
          description: set.description,
          actions: canWrite && <ActionButtons actions={actionsOf(set)} />,
          tabs: [{ key: "labels", label: t("labels"), content: <SetLabels project={project} set={set} canWrite={canWrite} /> }],
        })}
      />
      {dialog}
    </>
  );
}

function SetLabels({ project, set, canWrite }: { project: string; set: LabelSetView; canWrite: boolean }) {
  const { t } = useTranslation("common");
  const notify = useNotify();
  const refresh = useLabelSetsRefresh();
  const drafts = set.labels.map(draftOf);
  const save = async (next: LabelDraft[]) => {
    // Where somebody else was quicker, this is refused, and shown is what they made of it.
    await updateLabelSet(project, set.name, { labels: next.map(labelOf), seen: set.updated_at }).finally(() => refresh(project));
    notify.done(t("saved"));
  };
  const changes: LabelChanges = {
    add: (added) => save([...drafts, ...added.filter((one) => !drafts.some((draft) => isSame(draft, one)))]),
    change: (old, next) => save(withChanged(drafts, old, next)),
    remove: (gone) => save(drafts.filter((draft) => !isSame(draft, gone))),
    move: (moved, place) => save(withMoved(drafts, moved, place)),
  };
  return <LabelsEditor drafts={drafts} changes={canWrite ? changes : null} hasSkeleton />;
}

function draftOf({ name, parent, colour, shortcut, attributes, skeleton }: SetLabel): LabelDraft {
  return { name, parent: parent ?? null, colour: colour ?? null, shortcut: shortcut ?? null, attributes: attributes ?? [], skeleton: skeleton ?? null };
}

function labelOf({ name, parent, colour, shortcut, attributes, skeleton }: LabelDraft): SetLabel {
  return { name, parent, colour, shortcut, attributes, skeleton };
}
