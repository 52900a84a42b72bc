import { DeleteOutlined, EditOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { GroupView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { GroupForm } from "./GroupForm";
import { deleteGroup, groupsKey } from "./groups";

interface Options {
  onDeleted?: () => void;
  onRenamed?: (group: GroupView) => void;
}

export function useGroupActions({ onDeleted, onRenamed }: Options = {}): { actionsOf: (group: GroupView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["groups", "common"]);
  const canWrite = usePermission("group.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [edited, setEdited] = useState<GroupView | null>(null);

  const changed = async (text: string) => {
    await client.invalidateQueries({ queryKey: groupsKey });
    notify.done(text);
  };
  const actionsOf = (group: GroupView): RowAction[] =>
    canWrite
      ? [
          { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, onClick: () => setEdited(group) },
          {
            key: "delete",
            label: t("common:action.delete"),
            icon: <DeleteOutlined aria-hidden />,
            isDanger: true,
            onClick: () =>
              confirm({
                title: t("deleteTitle", { name: group.name }),
                text: t("deleteText"),
                okText: t("common:action.delete"),
                onConfirm: async () => {
                  await deleteGroup(group.id);
                  onDeleted?.();
                  await changed(t("deleted", { name: group.name }));
                },
              }),
          },
        ]
      : [];
  const dialog = edited && (
    <GroupForm
      group={edited}
      onClose={() => setEdited(null)}
      onSaved={(group) => {
        onRenamed?.(group);
        void changed(t("common:saved"));
      }}
    />
  );
  return { actionsOf, dialog };
}
