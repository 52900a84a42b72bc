import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import type { DatasetVersionView } from "../types";

const TONES: Record<DatasetVersionView["work"], BadgeTone> = { copying: "starting", draft: "stopping", publishing: "starting", published: "completed" };

/** Where a version is: made, worked on, published. */
export function WorkBadge({ work }: { work: DatasetVersionView["work"] }) {
  const { t } = useTranslation("datasets");
  return <StateBadge tone={TONES[work]} text={t(`work.${work}`)} />;
}
