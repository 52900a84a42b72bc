/** Amounts side by side: one bar a thing, its name beside it and its figure at the end. */
import { DownloadOutlined } from "@ant-design/icons";
import { Dropdown } from "antd";
import { lazy, Suspense, useRef } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { downloadText, downloadUrl } from "@/lib/download";
import { IconButton } from "../IconButton";
import type { BarsHandle } from "./BarsBox";
import { barsCsv } from "./csv";
import styles from "./Chart.module.css";

const BarsBox = lazy(() => import("./BarsBox"));

const ROW_PX = 26;
const LEAST_PX = 80;

export interface Bar {
  key: string;
  name: string;
  value: number;
  /** The thing's own colour, such as a label's; the theme's first one otherwise. */
  colour?: string;
}

export interface BarsProps {
  label: string;
  bars: Bar[];
  formatValue: (value: number) => string;
  note?: ReactNode;
}

export function Bars({ note, ...props }: BarsProps) {
  const { t } = useTranslation();
  const handle = useRef<BarsHandle>(null);
  const { label, bars } = props;
  const file = label.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "_");
  const height = Math.max(LEAST_PX, bars.length * ROW_PX + 12);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.name} title={label}>
          {label}
        </span>
        {note && <span className={styles.note}>{note}</span>}
        <span className={styles.tools}>
          <Dropdown
            trigger={["click"]}
            menu={{
              items: [
                { key: "png", label: t("chart.png"), onClick: () => downloadUrl(handle.current?.picture() ?? "", `${file}.png`) },
                { key: "csv", label: t("chart.csv"), onClick: () => downloadText(barsCsv(bars), `${file}.csv`) },
              ],
            }}
          >
            <IconButton size="small" icon={<DownloadOutlined aria-hidden />} label={t("chart.download", { name: label })} />
          </Dropdown>
        </span>
      </figcaption>
      {bars.length === 0 ? (
        <div className={styles.empty} style={{ height }}>
          {t("chart.nothing")}
        </div>
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <BarsBox {...props} height={height} handle={handle} />
        </Suspense>
      )}
    </figure>
  );
}
