import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import type { PackageUser } from "./types";
import surfaces from "@/ui/Surfaces.module.css";

/** What runs the version, and so keeps it from being deleted. */
export function UsersTab({ users }: { users: PackageUser[] }) {
  const { t, i18n } = useTranslation(["packages", "assets"]);
  if (users.length === 0) return <EmptyState title={t("users.none")} text={t("users.noneText")} />;
  const kindText = (kind: string) => (i18n.exists(`packages:users.kind.${kind}`) ? t(`users.kind.${kind as "service"}`) : kind);
  return (
    <Panel>
      <ul className={surfaces.rows}>
        {users.map((user, index) => (
          <li key={user.id ?? index}>
            <span className="tm-muted">{kindText(user.kind)}</span>
            {user.name === null ? t("assets:refers.hidden") : user.link ? <Link to={user.link}>{user.name}</Link> : user.name}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
