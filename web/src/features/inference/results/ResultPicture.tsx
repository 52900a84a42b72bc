/** An item in a small or a large place, with what was predicted drawn on it. */
import { AudioOutlined, FileImageOutlined, FileTextOutlined, PlaySquareOutlined, TableOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { rowOf } from "@/features/evaluations/examples";
import { useLabelLooks } from "@/features/evaluations/label-looks";
import type { LabelLooks } from "@/features/evaluations/label-looks";
import { Outline } from "@/features/evaluations/Outline";
import { hasAreas, paint } from "@/features/evaluations/painting";
import type { NamedAnnotation } from "@/features/evaluations/result";
import { guardedFetch } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import { datasetOf } from "../queries";
import type { InferenceRun, ResultView } from "../types";
import { annotationsOf } from "./result";
import exampleStyles from "@/features/evaluations/Examples.module.css";
import pictures from "@/ui/Pictures.module.css";
import styles from "../Inference.module.css";

/** More outlines than this hide the picture. */
const MOST = 300;
/** As much of a text as a small place shows. */
const TEXT_BYTES = 600;

export interface ResultLook {
  run: InferenceRun;
  result: ResultView;
}

export function ResultPicture({ run, result }: ResultLook) {
  const media = result.media ?? "";
  if (media.startsWith("image/")) return <Drawn run={run} result={result} source={result.thumbnail ?? result.content} />;
  if (result.content && (media.startsWith("text/") || media.includes("json"))) return <Words result={result} />;
  const Icon = media.startsWith("audio/") ? AudioOutlined : media.startsWith("video/") ? PlaySquareOutlined : media.includes("json") ? TableOutlined : FileTextOutlined;
  return <Icon aria-hidden style={{ fontSize: 32 }} />;
}

interface DrawnProps extends ResultLook {
  source: string | null;
  /** Which of its annotations is pointed at. */
  pointed?: number | null;
  label?: string;
}

export function Drawn({ run, result, source, pointed = null, label = "" }: DrawnProps) {
  const [isBroken, setBroken] = useState(false);
  const looks = useLabelLooks(datasetOf(run));
  const annotations = useMemo(() => annotationsOf(result), [result]);
  const { width, height } = result;
  if (!source || isBroken) return <FileImageOutlined aria-hidden style={{ fontSize: 32 }} />;
  return (
    <span className={`${pictures.picture} ${styles.picture}`}>
      <img src={source} alt={label} loading="lazy" decoding="async" draggable={false} onError={() => setBroken(true)} />
      {width && height && (hasAreas(annotations) ? <Areas width={width} height={height} annotations={annotations} looks={looks} /> : <Outlines width={width} height={height} annotations={annotations} looks={looks} pointed={pointed} />)}
    </span>
  );
}

interface ShapesProps {
  width: number;
  height: number;
  annotations: NamedAnnotation[];
  looks: LabelLooks;
}

function Outlines({ width, height, annotations, looks, pointed }: ShapesProps & { pointed: number | null }) {
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-pointing={pointed !== null || undefined}>
      {annotations.slice(0, MOST).map((one, at) => (
        <Outline key={at} annotation={one} edges={looks.edgesOf(one.label)} isOn={pointed === at} casing={styles.casing} colour={looks.colourOf(one.label)} />
      ))}
    </svg>
  );
}

function Areas({ width, height, annotations, looks: { colourOf } }: ShapesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    paint(context, annotations, colourOf);
  }, [annotations, width, height, colourOf]);
  return <canvas ref={canvas} width={width} height={height} aria-hidden="true" />;
}

function Words({ result }: { result: ResultView }) {
  const text = useResultText(result, TEXT_BYTES);
  const row = text === null ? null : rowOf(text);
  if (!row) return <span className={styles.words}>{text ?? ""}</span>;
  return (
    <dl className={exampleStyles.cells}>
      {row.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The beginning of an item's text; null while it is not there. */
export function useResultText({ content }: ResultView, bytes: number): string | null {
  const text = useQuery({
    queryKey: ["inference", "text", content, bytes],
    queryFn: async () => {
      const response = await guardedFetch(content ?? "", { headers: { Range: `bytes=0-${bytes - 1}` } });
      if (!response.ok && response.status !== 416) throw await ApiFailure.from(response);
      return response.status === 416 ? "" : await response.text();
    },
    enabled: content !== null,
    staleTime: Infinity,
  });
  return text.data ?? null;
}
