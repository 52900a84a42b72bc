import { CompressOutlined, OneToOneOutlined, ZoomInOutlined, ZoomOutOutlined } from "@ant-design/icons";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { IconButton } from "@/ui/IconButton";
import { ScrollBox } from "@/ui/ScrollBox";
import styles from "./Preview.module.css";

const STEP = 1.25;
const LEAST = 0.05;
const MOST = 16;

interface Size {
  width: number;
  height: number;
}

/** A picture, fitted to the pane or at a chosen size. As `<img>` an SVG runs no scripts. */
export function ImageView({ address, name, onBroken }: { address: string; name: string; onBroken: () => void }) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const [natural, setNatural] = useState<Size | null>(null);
  const [shown, setShown] = useState(1);
  const [zoom, setZoom] = useState<number | null>(null);
  const scale = zoom ?? shown;
  const zoomTo = (next: number) => setZoom(Math.min(MOST, Math.max(LEAST, next)));
  return (
    <>
      <div className={styles.zoom}>
        <IconButton size="small" icon={<ZoomOutOutlined aria-hidden />} label={t("preview.zoomOut")} onClick={() => zoomTo(scale / STEP)} />
        <span className={styles.zoomFigure}>{format.percent(scale)}</span>
        <IconButton size="small" icon={<ZoomInOutlined aria-hidden />} label={t("preview.zoomIn")} onClick={() => zoomTo(scale * STEP)} />
        <IconButton size="small" icon={<OneToOneOutlined aria-hidden />} label={t("preview.zoomActual")} onClick={() => zoomTo(1)} />
        <IconButton size="small" icon={<CompressOutlined aria-hidden />} label={t("preview.zoomFit")} onClick={() => setZoom(null)} />
        {natural && <span>{t("preview.pixels", { width: format.number(natural.width), height: format.number(natural.height) })}</span>}
      </div>
      <ScrollBox
        className={styles.scroll}
        label={name}
        onWheel={(event) => {
          if (event.ctrlKey) zoomTo(scale * (event.deltaY < 0 ? STEP : 1 / STEP));
        }}
      >
        <div className={styles.image} data-fit={zoom === null || undefined}>
          <img
            src={address}
            alt={name}
            style={zoom !== null && natural ? { width: natural.width * zoom } : undefined}
            onError={onBroken}
            onLoad={({ currentTarget: image }) => {
              setNatural({ width: image.naturalWidth, height: image.naturalHeight });
              setShown(image.naturalWidth > 0 ? image.clientWidth / image.naturalWidth : 1);
            }}
          />
        </div>
      </ScrollBox>
    </>
  );
}
