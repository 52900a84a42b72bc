/** The picture that was sent, with what was found drawn on it. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { isDrawn, outlineOf, paint } from "@/features/evaluations/painting";
import type { NamedAnnotation } from "@/features/evaluations/result";
import { useFormat } from "@/lib/format";
import { useAnswerColours } from "./colours";
import styles from "./Trying.module.css";

/** More than this hide the picture. */
const MOST = 300;

interface AnswerPictureProps {
  source: string;
  annotations: NamedAnnotation[];
  /** The place of the one that stands out. */
  pointed: number | null;
}

export function AnswerPicture({ source, annotations, pointed }: AnswerPictureProps) {
  const { t } = useTranslation("services");
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const colourOf = useAnswerColours(annotations);
  const shapes = useMemo(() => annotations.map((one, at) => ({ one, at })).filter(({ one }) => isDrawn(one)).slice(0, MOST), [annotations]);
  return (
    <div className={styles.picture}>
      <span className={styles.frame}>
        <img src={source} alt={t("test.sent")} onLoad={({ currentTarget }) => setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })} />
        {size && <Areas annotations={annotations} colourOf={colourOf} {...size} />}
        {size && (
          <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true" data-pointing={pointed !== null || undefined}>
            {shapes.map(({ one, at }) => (
              <Outline key={at} annotation={one} colour={colourOf(one.label)} scale={Math.max(size.width, size.height)} isOn={pointed === at} />
            ))}
          </svg>
        )}
      </span>
    </div>
  );
}

function Areas({ annotations, colourOf, width, height }: { annotations: NamedAnnotation[]; colourOf: (label: string | undefined) => string; width: number; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const masks = useMemo(() => annotations.filter((one) => one.type === "mask"), [annotations]);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    paint(context, masks, colourOf);
  }, [masks, width, height, colourOf]);
  return masks.length > 0 && <canvas ref={canvas} width={width} height={height} aria-hidden="true" />;
}

/** An outline with its label at its first corner; keypoints and masks have none, they would cover each other. */
function Outline({ annotation, colour, scale, isOn }: { annotation: NamedAnnotation; colour: string; scale: number; isOn: boolean }) {
  const format = useFormat();
  const path = useMemo(() => (annotation.type === "mask" ? "" : outlineOf(annotation)), [annotation]);
  const at = annotation.type === "mask" ? null : anchorOf(annotation);
  const said = [annotation.text ?? annotation.label, annotation.score === undefined ? null : format.percent(annotation.score)].filter(Boolean).join(" ");
  const height = scale / 40;
  return (
    <g data-on={isOn || undefined}>
      <path className={styles.casing} d={path} vectorEffect="non-scaling-stroke" />
      <path className={annotation.type === "keypoints" ? styles.dots : styles.line} d={path} stroke={colour} vectorEffect="non-scaling-stroke" />
      {at && said && (
        <text className={styles.word} x={at[0] + height / 4} y={Math.max(height, at[1] - height / 4)} fontSize={height} strokeWidth={height / 5} fill={colour}>
          {said}
        </text>
      )}
    </g>
  );
}

/** Where the words stand: the upper left of what is drawn. */
export function anchorOf(annotation: NamedAnnotation): [number, number] | null {
  if (annotation.type === "box" || annotation.type === "circle" || annotation.type === "point") return [annotation.x, annotation.y];
  const flat = annotation.type === "polygon" ? annotation.rings[0] : annotation.type === "polyline" ? annotation.points : annotation.type === "keypoints" ? annotation.points.flatMap(([x, y]) => [x, y]) : undefined;
  if (!Array.isArray(flat) || flat.length < 2) return null;
  const xs = flat.filter((_, index) => index % 2 === 0);
  const ys = flat.filter((_, index) => index % 2 === 1);
  return [Math.min(...xs), Math.min(...ys)];
}
