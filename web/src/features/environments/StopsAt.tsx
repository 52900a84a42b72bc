import { Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { isEnded } from "@/features/workloads/states";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";
import type { EnvironmentView } from "./types";
import styles from "./Environments.module.css";

const SOON_S = 900;

/** How long it still runs by itself. */
export function StopsAt({ environment }: { environment: Pick<EnvironmentView, "state" | "stops_at"> }) {
  const { t } = useTranslation("environments");
  const format = useFormat();
  const now = useNow();
  if (isEnded(environment.state)) return <span className="tm-muted">–</span>;
  if (!environment.stops_at) return <span className="tm-muted">{t("noLimit")}</span>;
  const seconds = (new Date(environment.stops_at).getTime() - now) / 1000;
  return (
    <Tooltip title={format.dateTime(environment.stops_at)}>
      <span className={styles.left} data-soon={seconds < SOON_S || undefined}>
        {seconds > 0 ? t("left", { duration: format.duration(Math.max(60, seconds)) }) : t("stopsSoon")}
      </span>
    </Tooltip>
  );
}
