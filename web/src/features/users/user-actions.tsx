import { DeleteOutlined, EditOutlined, KeyOutlined, LogoutOutlined, PoweroffOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "@/api/types";
import { useMe, usePermission } from "@/features/session/me";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { PasswordResetForm, UserEditForm } from "./UserForms";
import { deleteUser, endSessions, setDisabled, usersKey } from "./users";

type Dialog = { kind: "edit" | "reset"; user: UserView };

/** What can be done with a user; the same in the list and on the user's page. */
export function useUserActions(onDeleted?: () => void): { actionsOf: (user: UserView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["users", "common"]);
  const me = useMe();
  const canWrite = usePermission("user.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [dialog, setDialog] = useState<Dialog | null>(null);

  const changed = async (text: string) => {
    await client.invalidateQueries({ queryKey: usersKey });
    notify.done(text);
  };
  const actionsOf = (user: UserView): RowAction[] => {
    if (!canWrite) return [];
    const isSelf = user.id === me.id;
    const notSelf = isSelf ? t("notSelf") : undefined;
    return [
      { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, onClick: () => setDialog({ kind: "edit", user }) },
      { key: "reset", label: t("reset.action"), icon: <KeyOutlined aria-hidden />, disabledReason: isSelf ? t("ownPassword") : undefined, onClick: () => setDialog({ kind: "reset", user }) },
      {
        key: "sessions",
        label: t("sessions.end"),
        icon: <LogoutOutlined aria-hidden />,
        onClick: () =>
          confirm({
            title: t("sessions.endTitle", { name: user.name }),
            text: t("sessions.endText"),
            okText: t("sessions.end"),
            onConfirm: async () => {
              await endSessions(user.name);
              await changed(t("sessions.ended"));
            },
          }),
      },
      user.disabled
        ? {
            key: "enable",
            label: t("enable"),
            icon: <PoweroffOutlined aria-hidden />,
            onClick: () => void setDisabled(user.name, false).then(() => changed(t("enabled", { name: user.name })), notify.failed),
          }
        : {
            key: "disable",
            label: t("disable"),
            icon: <PoweroffOutlined aria-hidden />,
            disabledReason: notSelf,
            onClick: () =>
              confirm({
                title: t("disableTitle", { name: user.name }),
                text: t("disableText"),
                okText: t("disable"),
                onConfirm: async () => {
                  await setDisabled(user.name, true);
                  await changed(t("disabled", { name: user.name }));
                },
              }),
          },
      {
        key: "delete",
        label: t("common:action.delete"),
        icon: <DeleteOutlined aria-hidden />,
        isDanger: true,
        disabledReason: notSelf,
        onClick: () =>
          confirm({
            title: t("deleteTitle", { name: user.name }),
            text: t("deleteText"),
            okText: t("common:action.delete"),
            typeName: user.name,
            onConfirm: async () => {
              await deleteUser(user.name);
              onDeleted?.();
              await changed(t("deleted", { name: user.name }));
            },
          }),
      },
    ];
  };
  return { actionsOf, dialog: <UserDialog dialog={dialog} selfId={me.id} onClose={() => setDialog(null)} onSaved={changed} /> };
}

interface UserDialogProps {
  dialog: Dialog | null;
  selfId: string;
  onClose: () => void;
  onSaved: (text: string) => Promise<void>;
}

function UserDialog({ dialog, selfId, onClose, onSaved }: UserDialogProps) {
  const { t } = useTranslation(["users", "common"]);
  if (!dialog) return null;
  const { user } = dialog;
  if (dialog.kind === "reset") return <PasswordResetForm user={user} onClose={onClose} onSaved={() => void onSaved(t("reset.done", { name: user.name }))} />;
  return <UserEditForm user={user} isSelf={user.id === selfId} onClose={onClose} onSaved={() => void onSaved(t("common:saved"))} />;
}
