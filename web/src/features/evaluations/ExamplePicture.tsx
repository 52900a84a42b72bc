/** A picture with what is true and what was predicted: outlines over each other, or areas side by side. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { contentAddress } from "@/features/datasets/addresses";
import { labelsQuery } from "@/features/datasets/queries";
import type { DatasetVersionRef, ItemView } from "@/features/datasets/types";
import { useThemeMode } from "@/theme/mode";
import { chartColours } from "@/theme/tokens";
import { hasAreas, isDots, isDrawn, outlineOf, paint } from "./painting";
import type { Example, NamedAnnotation } from "./result";
import pictures from "@/ui/Pictures.module.css";
import styles from "./Examples.module.css";

/** More outlines than this hide the picture. */
const MOST = 300;

export interface Shown {
  truth: boolean;
  predicted: boolean;
}

/** Which annotation is pointed at: its place among those of its kind. */
export interface Pointed {
  kind: "truth" | "predicted";
  at: number;
}

interface ExamplePictureProps {
  of: DatasetVersionRef;
  item: ItemView;
  example: Example;
  shown: Shown;
  /** The one that stands out. */
  pointed?: Pointed | null;
}

export function ExamplePicture({ of, item, example, shown, pointed = null }: ExamplePictureProps) {
  const { t } = useTranslation("evaluations");
  const { truth, predicted } = example;
  const source = contentAddress(of, item);
  if (!item.width || !item.height) return <img className={styles.plain} src={source} alt={item.path} loading="lazy" />;
  const size = { width: item.width, height: item.height };
  if (hasAreas(truth) || hasAreas(predicted)) {
    return (
      <span className={styles.pair}>
        {shown.truth && <Areas of={of} source={source} {...size} annotations={truth} title={t("worst.truth")} />}
        {shown.predicted && <Areas of={of} source={source} {...size} annotations={predicted} title={t("worst.predicted")} />}
      </span>
    );
  }
  return (
    <span className={`${pictures.picture} ${styles.picture}`}>
      <img src={source} alt={item.path} loading="lazy" decoding="async" />
      <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true" data-pointing={pointed !== null || undefined}>
        {shown.truth && <Outlines kind="truth" annotations={truth} pointed={pointed} />}
        {shown.predicted && <Outlines kind="predicted" annotations={predicted} pointed={pointed} />}
      </svg>
    </span>
  );
}

function Outlines({ annotations, kind, pointed }: { annotations: NamedAnnotation[]; kind: "truth" | "predicted"; pointed: Pointed | null }) {
  const paths = useMemo(() => annotations.slice(0, MOST).map((one) => (isDrawn(one) ? outlineOf(one) : "")), [annotations]);
  return paths.map((path, at) => (
    <g key={at} data-on={(pointed?.kind === kind && pointed.at === at) || undefined} data-dots={isDots(annotations[at]) || undefined}>
      <path className={styles.casing} d={path} vectorEffect="non-scaling-stroke" />
      <path className={styles[kind]} d={path} vectorEffect="non-scaling-stroke" />
    </g>
  ));
}

interface AreasProps {
  of: DatasetVersionRef;
  source: string;
  width: number;
  height: number;
  annotations: NamedAnnotation[];
  title: string;
}

function Areas({ of, source, width, height, annotations, title }: AreasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colourOf = useLabelColours(of);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    paint(context, annotations, colourOf);
  }, [annotations, width, height, colourOf]);
  return (
    <span className={styles.half}>
      <span className={`${pictures.picture} ${styles.picture}`}>
        <img src={source} alt="" loading="lazy" decoding="async" />
        <canvas ref={canvas} width={width} height={height} aria-hidden="true" />
      </span>
      <small>{title}</small>
    </span>
  );
}

/** A label's own colour; those that only the model knows get one of the charts'. */
export function useLabelColours(of: DatasetVersionRef | null): (label: string | undefined) => string {
  const { curves } = chartColours(useThemeMode());
  const labels = useQuery({ ...labelsQuery(of ?? { project: "", dataset: "", version: 0 }), enabled: of !== null });
  return useMemo(() => {
    const known = new Map((labels.data?.items ?? []).map((label) => [label.name, label.colour]));
    return (label) => known.get(label ?? "") ?? curves[[...(label ?? "")].reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % curves.length] ?? "";
  }, [labels.data, curves]);
}
