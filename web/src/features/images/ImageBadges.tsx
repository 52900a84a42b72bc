import { Tag, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import type { ImageKind, ImageState, ImageView } from "./types";
import styles from "./Images.module.css";

const tones: Record<ImageState, BadgeTone> = { ready: "completed", building: "running", failed: "failed", not_made: "waiting" };

export function ImageBadge({ image }: { image: Pick<ImageView, "state" | "error"> }) {
  const { t } = useTranslation("images");
  const badge = <StateBadge tone={tones[image.state]} text={t(`state.${image.state}`)} />;
  const words = image.state === "not_made" ? t("notMadeText") : image.state === "failed" ? image.error?.message : undefined;
  return words ? (
    <Tooltip title={words}>
      <span>{badge}</span>
    </Tooltip>
  ) : (
    badge
  );
}

export function KindTag({ kind }: { kind: ImageKind }) {
  const { t } = useTranslation("images");
  return <Tag className={styles.kind}>{t(`kind.${kind}`)}</Tag>;
}
