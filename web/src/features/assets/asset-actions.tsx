/** What can be done with an asset as a whole. */
import { CopyOutlined, DeleteOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProject } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { assetPath } from "./addresses";
import { deleteAsset } from "./api";
import type { AssetRef } from "./api";
import { CopyForm } from "./CopyForm";
import { KINDS } from "./kinds";
import { useRefresh } from "./queries";
import { useExplainReferrers } from "./explain-referrers";
import type { AssetView } from "./types";

interface Options {
  /** The project being worked in, offered as the place for copies. */
  project: string;
  /** Leaves the page of what is no longer there. */
  onDeleted?: () => Promise<void> | void;
}

export function refOf(asset: AssetView): AssetRef {
  return { project: asset.project, kind: KINDS[asset.kind].segment, asset: asset.name };
}

export function useAssetActions({ project, onDeleted }: Options): { actionsOf: (asset: AssetView) => RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["assets", "common"]);
  const permissions: string[] = useProject(project).data?.permissions ?? [];
  const confirm = useConfirm();
  const explain = useExplainReferrers();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [copied, setCopied] = useState<AssetView | null>(null);

  const remove = (asset: AssetView) =>
    confirm({
      title: t("delete.title", { name: asset.name }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      explain,
      onConfirm: async () => {
        await deleteAsset(refOf(asset));
        await onDeleted?.();
        await refresh.assets(asset.project, KINDS[asset.kind].segment);
        notify.done(t("delete.done", { name: asset.name }));
      },
    });
  const actionsOf = (asset: AssetView): RowAction[] => {
    const copy: RowAction = {
      key: "copy",
      label: t("copy.action"),
      icon: <CopyOutlined aria-hidden />,
      disabledReason: asset.versions_count === 0 ? t("copy.empty") : undefined,
      onClick: () => setCopied(asset),
    };
    const isMine = asset.permissions.includes("delete");
    const isAllowedHere = asset.project === project && permissions.includes(`${asset.kind}.delete`);
    if (!isMine && !isAllowedHere) return [copy];
    return [
      copy,
      {
        key: "delete",
        label: t("common:action.delete"),
        icon: <DeleteOutlined aria-hidden />,
        isDanger: true,
        disabledReason: !isMine ? t("delete.notYours", { name: asset.created_by }) : asset.versions_count > 0 ? t("delete.hasVersions", { count: asset.versions_count }) : undefined,
        onClick: () => remove(asset),
      },
    ];
  };
  const dialog = copied && (
    <CopyForm
      source={refOf(copied)}
      kind={copied.kind}
      into={project}
      onCopied={(asset) => {
        void refresh.assets(asset.project, KINDS[asset.kind].segment);
        notify.done(t("copy.done", { name: asset.name }));
        void navigate(assetPath(refOf(asset)));
      }}
      onClose={() => setCopied(null)}
    />
  );
  return { actionsOf, dialog };
}
