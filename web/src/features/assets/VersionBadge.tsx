import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import type { VersionView } from "./types";

const TONES: Record<VersionView["state"], BadgeTone> = { draft: "stopping", committed: "completed" };

export function VersionBadge({ state }: { state: VersionView["state"] }) {
  const { t } = useTranslation("assets");
  return <StateBadge tone={TONES[state]} text={t(`state.${state}`)} />;
}
