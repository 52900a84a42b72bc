/** A picture with what is true and what was predicted: outlines over each other, or areas side by side. */
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { contentAddress } from "@/features/datasets/addresses";
import type { DatasetVersionRef, ItemView } from "@/features/datasets/types";
import { useLabelLooks } from "./label-looks";
import { Outline } from "./Outline";
import { hasAreas, paint } from "./painting";
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
        {shown.truth && <Outlines of={of} kind="truth" annotations={truth} pointed={pointed} />}
        {shown.predicted && <Outlines of={of} kind="predicted" annotations={predicted} pointed={pointed} />}
      </svg>
    </span>
  );
}

function Outlines({ of, annotations, kind, pointed }: { of: DatasetVersionRef; annotations: NamedAnnotation[]; kind: "truth" | "predicted"; pointed: Pointed | null }) {
  const { edgesOf } = useLabelLooks(of);
  return annotations.slice(0, MOST).map((one, at) => (
    <Outline key={at} annotation={one} edges={edgesOf(one.label)} isOn={pointed?.kind === kind && pointed.at === at} casing={styles.casing} line={styles[kind]} />
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
  const { colourOf } = useLabelLooks(of);
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
