import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import type { ItemState } from "../types";

const TONES: Record<ItemState, BadgeTone> = { unlabelled: "waiting", labelled: "running", suggested: "starting", rework: "stopping", reviewed: "completed", aside: "stopped" };

export function ItemStateBadge({ state }: { state: ItemState }) {
  const { t } = useTranslation("datasets");
  return <StateBadge tone={TONES[state]} text={t(`itemState.${state}`)} />;
}
