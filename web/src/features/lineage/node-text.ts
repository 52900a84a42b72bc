import { useTranslation } from "react-i18next";
import { isAssetKind } from "@/features/assets/kinds";
import type { LineageNode } from "@/features/assets/types";

/** What a node is and where: "Model · vision-lab"; removed ones say so. */
export function useNodeText(): (node: LineageNode) => string {
  const { t } = useTranslation("assets");
  return (node) => {
    const kind = isAssetKind(node.kind) ? t(`${node.kind}.one`) : node.kind === "git" ? t("lineage.git") : node.kind;
    const parts = [kind, node.project, node.exists ? null : t("lineage.gone")];
    return parts.filter((part) => part !== null && part !== "").join(" · ");
  };
}
