import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { api, unwrap } from "@/api/client";
import type { UserView } from "@/api/types";
import { SessionTable } from "@/features/account/SessionTable";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { useUserActions } from "./user-actions";
import { UserKindTag, UserStateBadge } from "./UserBadges";
import { userQuery, usersKey } from "./users";

export default function UserPage() {
  const { t } = useTranslation(["users", "common"]);
  const { user: name = "" } = useParams();
  const navigate = useNavigate();
  const { actionsOf, dialog } = useUserActions(() => navigate("/admin/users"));
  return (
    <>
      <ThingPage<UserView>
        query={useQuery(userQuery(name))}
        render={(user) => ({
          name: user.display_name || user.name,
          id: user.id,
          badge: <UserStateBadge user={user} />,
          actions: <ActionButtons actions={actionsOf(user)} />,
          tabs: [
            { key: "overview", label: t("common:tab.overview"), content: <Overview user={user} /> },
            { key: "sessions", label: t("sessions.title"), content: <Sessions user={user} /> },
          ],
        })}
      />
      {dialog}
    </>
  );
}

function Overview({ user }: { user: UserView }) {
  const { t } = useTranslation(["users", "common"]);
  const format = useFormat();
  return (
    <Panel>
      <Facts
        facts={[
          { key: "name", label: t("name"), value: user.name },
          { key: "display", label: t("displayName"), value: user.display_name || "–" },
          { key: "mail", label: t("common:field.mail"), value: user.mail || "–" },
          { key: "kind", label: t("kindLabel"), value: <UserKindTag kind={user.kind} /> },
          { key: "projects", label: t("projects"), value: format.number(user.projects_count) },
          { key: "seen", label: t("lastSeen"), value: <RelativeTime at={user.last_seen_at} /> },
          { key: "created", label: t("common:field.createdAt"), value: <RelativeTime at={user.created_at} /> },
          { key: "by", label: t("common:field.createdBy"), value: user.created_by },
        ]}
      />
    </Panel>
  );
}

function Sessions({ user }: { user: UserView }) {
  const sessions = useQuery({
    queryKey: [...usersKey, "sessions", user.id],
    queryFn: () => unwrap(api.GET("/api/v1/users/{user}/sessions", { params: { path: { user: user.name } } })),
  });
  return <SessionTable query={sessions} />;
}
