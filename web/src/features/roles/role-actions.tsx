import { CopyOutlined, DeleteOutlined, EditOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { RoleView } from "@/api/types";
import { usePermission } from "@/features/session/me";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RoleCreateForm, RoleEditForm } from "./RoleForm";
import { rolesKey } from "./roles";

interface Options {
  onDeleted?: () => void;
  onSaved?: (role: RoleView) => void;
}

type Dialog = { kind: "edit" | "copy"; role: RoleView };

export function useRoleActions({ onDeleted, onSaved }: Options = {}): { actionsOf: (role: RoleView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["roles", "common"]);
  const canWrite = usePermission("role.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [dialog, setDialog] = useState<Dialog | null>(null);

  const remove = (role: RoleView) =>
    confirm({
      title: t("deleteTitle", { name: role.name }),
      text: t("deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await unwrap(api.DELETE("/api/v1/roles/{role}", { params: { path: { role: role.id } } }));
        onDeleted?.();
        await client.invalidateQueries({ queryKey: rolesKey });
        notify.done(t("deleted", { name: role.name }));
      },
    });
  const actionsOf = (role: RoleView): RowAction[] => {
    if (!canWrite) return [];
    const builtin = role.builtin ? t("builtinStays") : undefined;
    return [
      { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, disabledReason: builtin, onClick: () => setDialog({ kind: "edit", role }) },
      { key: "copy", label: t("copy"), icon: <CopyOutlined aria-hidden />, disabledReason: role.scope === "platform" ? t("platformRole") : undefined, onClick: () => setDialog({ kind: "copy", role }) },
      { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: builtin, onClick: () => remove(role) },
    ];
  };
  const close = () => setDialog(null);
  const saved = (role: RoleView) => {
    void client.invalidateQueries({ queryKey: rolesKey });
    notify.done(t("common:saved"));
    onSaved?.(role);
  };
  return {
    actionsOf,
    dialog: dialog && (dialog.kind === "edit" ? <RoleEditForm role={dialog.role} onClose={close} onSaved={saved} /> : <RoleCreateForm copyOf={dialog.role} onClose={close} onSaved={saved} />),
  };
}
