import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { shortDigest } from "@/features/images/names";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { listPackageVersions } from "./api";
import type { PackageRef } from "./api";
import { PackageBadge } from "./PackageBadge";
import { packageKey, packageVersionPath } from "./queries";
import type { PackageVersion } from "./types";
import { useVersionActions } from "./version-actions";
import surfaces from "@/ui/Surfaces.module.css";

export function PackageVersions({ of, current }: { of: PackageRef; current: number }) {
  const { t } = useTranslation("packages");
  const actionsOf = useVersionActions(of.project);
  return (
    <ListPage<PackageVersion>
      listKey="package-versions"
      queryKey={[...packageKey(of), "versions"]}
      load={(query) => listPackageVersions(of, query)}
      columns={useColumns(of, current)}
      keyOf={(version) => version.id}
      nameOf={(version) => version.name}
      isSearchable={false}
      rowActions={actionsOf}
      empty={{ title: t("none.title"), text: t("none.text") }}
    />
  );
}

function useColumns(of: PackageRef, current: number): ListColumn<PackageVersion>[] {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const format = useFormat();
  return [
    {
      key: "number",
      title: t("version"),
      render: (version) => (
        <span className={surfaces.line}>
          <Link to={packageVersionPath({ ...of, version: version.number })} aria-current={version.number === current || undefined}>
            {t("assets:versionNumber", { number: version.number })}
          </Link>
          {version.number === current && <span className="tm-muted">{t("shown")}</span>}
        </span>
      ),
    },
    { key: "state", title: t("common:field.state"), render: (version) => <PackageBadge state={version.state} reason={version.error?.message} /> },
    { key: "models", title: t("field.models"), render: (version) => version.models.map((model) => model.reference).join(", ") || <span className="tm-muted">–</span> },
    {
      key: "digest",
      title: t("assets:overview.digest"),
      render: (version) => (
        <span className={surfaces.line}>
          <code>{shortDigest(version.digest)}</code>
          <CopyButton text={version.digest} label={t("copyDigest")} />
        </span>
      ),
    },
    { key: "users", title: t("tab.users"), align: "right", render: (version) => format.number(version.users.length) },
    { key: "note", title: t("assets:note.label"), isHidden: true, render: (version) => version.note },
    { key: "creator", title: t("assets:column.creator"), render: (version) => version.created_by },
    { key: "created", title: t("assets:column.created"), render: (version) => <RelativeTime at={version.created_at} /> },
  ];
}
