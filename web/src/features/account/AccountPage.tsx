import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MeView } from "@/api/types";
import { meQuery } from "@/features/session/me";
import { SshKeysPanel } from "@/features/ssh-keys/SshKeysPanel";
import { UserKindTag } from "@/features/users/UserBadges";
import { ThingPage } from "@/ui/ThingPage";
import { PasswordPanel } from "./PasswordPanel";
import { ProfilePanel } from "./ProfilePanel";
import { SessionsPanel } from "./SessionsPanel";
import { TokensPanel } from "./TokensPanel";

/** The signed-in user's own settings. */
export default function AccountPage() {
  const { t } = useTranslation(["account", "sshKeys"]);
  return (
    <ThingPage<MeView>
      query={useQuery(meQuery)}
      render={(me) => ({
        name: me.display_name || me.name,
        id: me.id,
        badge: <UserKindTag kind={me.kind} />,
        tabs: [
          { key: "profile", label: t("tab.profile"), content: <ProfilePanel key={`${me.mail} ${me.language}`} me={me} /> },
          { key: "password", label: t("tab.password"), content: <PasswordPanel me={me} /> },
          { key: "sessions", label: t("tab.sessions"), content: <SessionsPanel /> },
          { key: "tokens", label: t("tab.tokens"), content: <TokensPanel me={me} /> },
          { key: "ssh-keys", label: t("sshKeys:tab"), content: <SshKeysPanel /> },
        ],
      })}
    />
  );
}
