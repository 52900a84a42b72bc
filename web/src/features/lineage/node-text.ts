import { useTranslation } from "react-i18next";
import { isAssetKind } from "@/features/assets/kinds";
import type { LineageNode } from "@/features/assets/types";

/** What is no asset: it made versions, or runs them. */
const OTHERS = ["git", "service", "image", "inference"] as const;

/** What a node is and where: "Model · vision-lab"; removed ones say so. */
export function useNodeText(): (node: LineageNode) => string {
  const { t } = useTranslation("assets");
  return (node) => {
    const other = OTHERS.find((one) => one === node.kind);
    const kind = isAssetKind(node.kind) ? t(`${node.kind}.one`) : other ? t(`lineage.${other}`) : node.kind;
    const parts = [kind, node.project, node.exists ? null : t("lineage.gone")];
    return parts.filter((part) => part !== null && part !== "").join(" · ");
  };
}
