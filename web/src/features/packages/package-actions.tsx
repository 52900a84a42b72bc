/** What can be done with a package as a whole. */
import { CopyOutlined, DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { deleteAsset } from "@/features/assets/api";
import { CopyForm } from "@/features/assets/CopyForm";
import { useExplainReferrers } from "@/features/assets/explain-referrers";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { packageMakePath, packagePath, useRefreshPackages } from "./queries";
import type { PackageView } from "./types";

export const assetRefOf = (one: { project: string; name: string }) => ({ project: one.project, kind: "packages" as const, asset: one.name });

export function usePackageActions(project: string, onDeleted?: () => Promise<void> | void): { actionsOf: (one: PackageView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const canWrite = useProjectPermission(project, "package.write");
  const canDelete = useProjectPermission(project, "package.delete");
  const confirm = useConfirm();
  const explain = useExplainReferrers();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefreshPackages(project);
  const [copied, setCopied] = useState<PackageView | null>(null);

  const remove = (one: PackageView) =>
    confirm({
      title: t("assets:delete.title", { name: one.name }),
      text: t("assets:delete.text"),
      okText: t("common:action.delete"),
      explain,
      onConfirm: async () => {
        await deleteAsset(assetRefOf(one));
        await onDeleted?.();
        await refresh();
        notify.done(t("assets:delete.done", { name: one.name }));
      },
    });
  const deleteRefusal = (one: PackageView) => {
    if (!canDelete) return t("notAllowed");
    if (!one.permissions.includes("delete")) return t("assets:delete.notYours", { name: one.created_by });
    return one.versions_count > 0 ? t("assets:delete.hasVersions", { count: one.versions_count }) : undefined;
  };
  const actionsOf = (one: PackageView): RowAction[] => [
    { key: "new", label: t("newVersion"), icon: <PlusOutlined aria-hidden />, disabledReason: canWrite ? undefined : t("notAllowed"), onClick: () => void navigate(packageMakePath({ project, package: one.name }, one.latest_version ?? undefined)) },
    { key: "copy", label: t("assets:copy.action"), icon: <CopyOutlined aria-hidden />, disabledReason: one.ready === null ? t("copyNotBuilt") : undefined, onClick: () => setCopied(one) },
    { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: deleteRefusal(one), onClick: () => remove(one) },
  ];
  const dialog = copied && (
    <CopyForm
      source={{ ...assetRefOf(copied), version: copied.ready?.number }}
      kind="package"
      into={project}
      onCopied={(made) => {
        void refresh();
        notify.done(t("assets:copy.done", { name: made.name }));
        void navigate(packagePath({ project: made.project, package: made.name }));
      }}
      onClose={() => setCopied(null)}
    />
  );
  return { actionsOf, dialog };
}
