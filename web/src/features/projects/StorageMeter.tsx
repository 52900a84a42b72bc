import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import type { ProjectView } from "@/api/types";
import { useFormat } from "@/lib/format";
import styles from "./Projects.module.css";

const NEARLY_FULL = 0.9;

/** How much of its storage a project uses; without a limit only the amount. */
export function StorageMeter({ project, isSmall = false }: { project: ProjectView; isSmall?: boolean }) {
  const { t } = useTranslation("projects");
  const format = useFormat();
  const { storage_used_bytes: used, storage_limit_bytes: limit } = project;
  if (limit === null || limit === undefined) {
    return <span>{isSmall ? format.bytes(used) : t("usedNoLimit", { used: format.bytes(used) })}</span>;
  }
  const share = limit === 0 ? 1 : used / limit;
  const words = t("usedOf", { used: format.bytes(used), limit: format.bytes(limit) });
  return (
    <div className={isSmall ? styles.small : styles.meter}>
      <div className={styles.meterWords}>
        <span>{words}</span>
        {!isSmall && <strong>{format.percent(share)}</strong>}
      </div>
      <Progress percent={Math.min(100, share * 100)} showInfo={false} size="small" status={share >= NEARLY_FULL ? "exception" : "normal"} aria-label={words} />
    </div>
  );
}
