/** What can be done with a dataset as a whole: its name changed, or it deleted once it has no versions. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useExplainReferrers } from "@/features/assets/explain-referrers";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteDataset, renameDataset } from "./api";
import { useDatasetRefresh } from "./queries";
import type { DatasetRef, DatasetView } from "./types";

interface Options {
  /** Leaves the page of what is no longer there. */
  onDeleted?: () => Promise<void> | void;
  onRenamed?: (dataset: DatasetView) => Promise<void> | void;
}

export function refOf(dataset: Pick<DatasetView, "project" | "name">): DatasetRef {
  return { project: dataset.project, dataset: dataset.name };
}

export function useDatasetActions({ onDeleted, onRenamed }: Options = {}): { actionsOf: (dataset: DatasetView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["datasets", "common"]);
  const confirm = useConfirm();
  const explain = useExplainReferrers();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [renamed, setRenamed] = useState<DatasetView | null>(null);

  const remove = (dataset: DatasetView) =>
    confirm({
      title: t("delete.title", { name: dataset.name }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      explain,
      onConfirm: async () => {
        await deleteDataset(refOf(dataset));
        await onDeleted?.();
        await refresh.datasets(dataset.project);
        notify.done(t("delete.done", { name: dataset.name }));
      },
    });
  const actionsOf = (dataset: DatasetView): RowAction[] => [
    ...(dataset.permissions.includes("write") ? [{ key: "rename", label: t("rename.action"), onClick: () => setRenamed(dataset) }] : []),
    ...(dataset.permissions.includes("delete")
      ? [
          {
            key: "delete",
            label: t("common:action.delete"),
            isDanger: true,
            disabledReason: dataset.versions_count > 0 ? t("delete.hasVersions", { count: dataset.versions_count }) : undefined,
            onClick: () => remove(dataset),
          },
        ]
      : []),
  ];
  const dialog = renamed && (
    <FormModal<{ name: string }>
      title={t("rename.title", { name: renamed.name })}
      submitText={t("common:action.save")}
      initialValues={{ name: renamed.name }}
      onSubmit={async ({ name }) => {
        const dataset = await renameDataset(refOf(renamed), name);
        await onRenamed?.(dataset);
        await refresh.datasets(dataset.project);
        notify.done(t("rename.done", { name: dataset.name }));
      }}
      onClose={() => setRenamed(null)}
    >
      <NameField hint={t("rename.hint")} />
    </FormModal>
  );
  return { actionsOf, dialog };
}
