/** Things as lines across axes; loads the drawing when it is first needed. */
import { DownloadOutlined } from "@ant-design/icons";
import { lazy, Suspense, useRef } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { downloadUrl } from "@/lib/download";
import { IconButton } from "../IconButton";
import { ScrollBox } from "../ScrollBox";
import type { BarsHandle } from "./BarsBox";
import type { ParallelProps } from "./types";
import styles from "./Chart.module.css";

/** Pixels that an axis's name needs, and what is beside the axes: narrower windows scroll. */
const AXIS_WIDTH = 96;
const MARGINS = 120;

const ParallelBox = lazy(() => import("./ParallelBox"));

export function Parallel({ note, ...props }: ParallelProps & { note?: ReactNode }) {
  const { t } = useTranslation();
  const handle = useRef<BarsHandle>(null);
  const { label, axes, height = 420 } = props;
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{label}</span>
        {note && <span className={styles.hint}>{note}</span>}
        <span className={styles.tools}>
          <IconButton size="small" icon={<DownloadOutlined aria-hidden />} label={t("chart.download", { name: label })} onClick={() => downloadUrl(handle.current?.picture() ?? "", `${label}.png`)} />
        </span>
      </figcaption>
      {axes.length < 2 ? (
        <div className={styles.empty} style={{ height }}>
          {t("chart.nothing")}
        </div>
      ) : (
        <ScrollBox label={label} className={styles.across}>
          <div style={{ minWidth: AXIS_WIDTH * axes.length + MARGINS }}>
            <Suspense fallback={<div style={{ height }} />}>
              <ParallelBox {...props} height={height} handle={handle} />
            </Suspense>
          </div>
        </ScrollBox>
      )}
    </figure>
  );
}
