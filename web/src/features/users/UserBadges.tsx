import { Tag } from "antd";
import { useTranslation } from "react-i18next";
import type { UserKind, UserView } from "@/api/types";
import { StateBadge } from "@/ui/StateBadge";

const colours: Record<UserKind, string | undefined> = { administrator: "warning", member: undefined, annotator: "processing" };

export function UserKindTag({ kind }: { kind: UserKind }) {
  const { t } = useTranslation("users");
  return <Tag color={colours[kind]}>{t(`kind.${kind}`)}</Tag>;
}

export function UserStateBadge({ user }: { user: UserView }) {
  const { t } = useTranslation("users");
  if (user.disabled) return <StateBadge tone="stopped" text={t("state.disabled")} />;
  if (user.must_change_password) return <StateBadge tone="waiting" text={t("state.invited")} />;
  return <StateBadge tone="completed" text={t("state.active")} />;
}
