/** What can be done with a version of a package: only what its state allows, and what is refused says why. */
import { BlockOutlined, CopyOutlined, DeleteOutlined, DownloadOutlined, RedoOutlined, StopOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { deleteVersion } from "@/features/assets/api";
import { useExplainReferrers } from "@/features/assets/explain-referrers";
import { useProjectPermission } from "@/features/projects/current-project";
import { downloadUrl } from "@/lib/download";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { buildPackageVersion, copyPackageVersion, exportAddress, stopPackageBuild } from "./api";
import type { PackageVersionRef } from "./api";
import { packageMakePath, packagePath, packageVersionPath, useRefreshPackages } from "./queries";
import { canBuildAgain, isUnfinished } from "./states";
import type { PackageVersion } from "./types";

export function useVersionActions(project: string): (version: PackageVersion) => RowAction[] {
  const { t } = useTranslation(["packages", "assets", "common"]);
  const canWrite = useProjectPermission(project, "package.write");
  const canDelete = useProjectPermission(project, "package.delete");
  const confirm = useConfirm();
  const explain = useExplainReferrers();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefreshPackages(project);
  const refusal = canWrite ? undefined : t("notAllowed");

  const act = async (call: () => Promise<unknown>, text: string) => {
    try {
      await call();
      await refresh();
      notify.done(text);
    } catch (error) {
      notify.failed(error);
    }
  };
  const stop = (version: PackageVersion, ref: PackageVersionRef) =>
    confirm({
      title: t("build.stopTitle", { name: version.name }),
      text: t("build.stopText"),
      okText: t("build.stop"),
      onConfirm: async () => {
        await stopPackageBuild(ref);
        await refresh();
        notify.done(t("build.stopped", { name: version.name }));
      },
    });
  const copy = async (ref: PackageVersionRef) => {
    try {
      const made = await copyPackageVersion(ref, "");
      await refresh();
      notify.done(t("build.started", { name: made.name }));
      void navigate(`${packageVersionPath({ ...ref, version: made.number })}?tab=log`);
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (version: PackageVersion, ref: PackageVersionRef) =>
    confirm({
      title: t("assets:deleteVersion.title", { name: version.name }),
      text: t("assets:deleteVersion.text"),
      okText: t("common:action.delete"),
      explain,
      onConfirm: async () => {
        await deleteVersion({ project: ref.project, kind: "packages", asset: ref.package, version: ref.version });
        await navigate(packagePath(ref), { replace: true, flushSync: true });
        await refresh();
        notify.done(t("assets:deleteVersion.done", { name: version.name }));
      },
    });
  const deleteRefusal = (version: PackageVersion) => {
    if (!canDelete) return t("notAllowed");
    if (isUnfinished(version.state)) return t("build.stopFirst");
    return version.users.length > 0 ? t("usedBy", { count: version.users.length }) : undefined;
  };
  return (version) => {
    const ref = { project, package: version.package, version: version.number };
    const offered: (RowAction | false)[] = [
      isUnfinished(version.state) && { key: "stop", label: t("build.stop"), icon: <StopOutlined aria-hidden />, isDanger: true, disabledReason: refusal, onClick: () => stop(version, ref) },
      canBuildAgain(version.state) && {
        key: "build",
        label: t("build.again"),
        icon: <RedoOutlined aria-hidden />,
        disabledReason: refusal,
        onClick: () => void act(() => buildPackageVersion(ref), t("build.started", { name: version.name })),
      },
      { key: "export", label: t("export.action"), icon: <DownloadOutlined aria-hidden />, disabledReason: version.state === "completed" ? undefined : t("notBuilt"), onClick: () => downloadUrl(exportAddress(ref), "") },
      { key: "template", label: t("template"), icon: <BlockOutlined aria-hidden />, disabledReason: refusal, onClick: () => void navigate(packageMakePath(ref, version.number)) },
      { key: "copy", label: t("copyVersion"), icon: <CopyOutlined aria-hidden />, disabledReason: refusal, onClick: () => void copy(ref) },
      { key: "delete", label: t("assets:deleteVersion.action"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: deleteRefusal(version), onClick: () => remove(version, ref) },
    ];
    return offered.filter((action) => action !== false);
  };
}
