/** Curves with their name above, zoomed by dragging, taken away as a picture or a table. */
import { CompressOutlined, DownloadOutlined } from "@ant-design/icons";
import { Dropdown } from "antd";
import { lazy, Suspense, useRef } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { downloadText, downloadUrl } from "@/lib/download";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";
import { IconButton } from "../IconButton";
import { chartCsv } from "./csv";
import type { ChartHandle } from "./ChartBox";
import type { ChartProps } from "./types";
import styles from "./Chart.module.css";

const ChartBox = lazy(() => import("./ChartBox"));

export function Chart({ note, ...props }: ChartProps & { note?: ReactNode }) {
  const { t } = useTranslation();
  const handle = useRef<ChartHandle>(null);
  const { label, series, x, height = 200 } = props;
  const file = label.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "_");
  const isEmpty = series.every((one) => one.points.length === 0);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.name} title={label}>
          {label}
        </span>
        {note && <span className={styles.note}>{note}</span>}
        <span className={styles.tools}>
          <IconButton size="small" icon={<CompressOutlined aria-hidden />} label={t("chart.reset")} onClick={() => handle.current?.reset()} />
          <Dropdown
            trigger={["click"]}
            menu={{
              items: [
                { key: "png", label: t("chart.png"), onClick: () => downloadUrl(handle.current?.picture() ?? "", `${file}.png`) },
                { key: "csv", label: t("chart.csv"), onClick: () => downloadText(chartCsv(series, x, t(x === "time" ? "chart.time" : "chart.step")), `${file}.csv`) },
              ],
            }}
          >
            <IconButton size="small" icon={<DownloadOutlined aria-hidden />} label={t("chart.download", { name: label })} />
          </Dropdown>
        </span>
      </figcaption>
      {isEmpty ? (
        <div className={styles.empty} style={{ height }}>
          {t("chart.empty")}
        </div>
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <ChartBox {...props} handle={handle} />
        </Suspense>
      )}
      <Legend {...props} />
    </figure>
  );
}

function Legend({ series }: ChartProps) {
  const { curves } = chartColours(useThemeMode());
  const shown = series.map((one, index) => ({ ...one, index })).filter((one) => !one.isFaint);
  if (shown.length < 2) return null;
  return (
    <ul className={styles.legend}>
      {shown.map((one) => (
        <li key={one.key} title={one.name}>
          <i style={{ borderColor: curves[(one.colour ?? one.index) % curves.length], borderTopStyle: one.isDashed ? "dashed" : "solid" }} />
          {one.name}
        </li>
      ))}
    </ul>
  );
}
