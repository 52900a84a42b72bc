import { DeleteOutlined, EditOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteLabelSet, updateLabelSet } from "./api";
import type { LabelSetView } from "./api";
import { useLabelSetsRefresh } from "./queries";

interface Options {
  onDeleted?: () => Promise<void> | void;
  onRenamed?: (set: LabelSetView) => Promise<void> | void;
}

export function useLabelSetActions(project: string, { onDeleted, onRenamed }: Options = {}): { actionsOf: (set: LabelSetView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["labelSets", "common"]);
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useLabelSetsRefresh();
  const [edited, setEdited] = useState<LabelSetView | null>(null);
  const remove = (set: LabelSetView) =>
    confirm({
      title: t("deleteTitle", { name: set.name }),
      text: t("deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteLabelSet(project, set.name);
        await onDeleted?.();
        await refresh(project);
        notify.done(t("deleted", { name: set.name }));
      },
    });
  const actionsOf = (set: LabelSetView): RowAction[] => [
    { key: "edit", label: t("rename"), icon: <EditOutlined aria-hidden />, onClick: () => setEdited(set) },
    { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: () => remove(set) },
  ];
  const dialog = edited && (
    <FormModal<{ name: string; description: string }>
      title={t("renameTitle", { name: edited.name })}
      submitText={t("common:action.save")}
      initialValues={{ name: edited.name, description: edited.description }}
      onSubmit={async (values) => {
        const set = await updateLabelSet(project, edited.name, values);
        await onRenamed?.(set);
        await refresh(project);
        notify.done(t("common:saved"));
      }}
      onClose={() => setEdited(null)}
    >
      <NameField />
      <DescriptionField />
    </FormModal>
  );
  return { actionsOf, dialog };
}
