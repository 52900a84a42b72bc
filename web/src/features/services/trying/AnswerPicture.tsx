/** The picture that was sent, with what was found drawn on it. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Edges } from "@/features/annotate/model/skeleton";
import { Outline } from "@/features/evaluations/Outline";
import { isDrawn, paint } from "@/features/evaluations/painting";
import type { NamedAnnotation } from "@/features/evaluations/result";
import { useFormat } from "@/lib/format";
import { useThemeMode } from "@/theme/mode";
import { workbenchColours } from "@/theme/tokens";
import { useAnswerColours } from "./colours";
import { tagsOf } from "./tags";
import type { Tag } from "./tags";
import type { CSSProperties } from "react";
import styles from "./Trying.module.css";

/** More than this hide the picture. */
const MOST = 300;
/** A picture that is smaller is made larger: what is drawn on it could not be told apart. */
const SMALL_PX = 480;
const HIGH_PX = 560;

interface AnswerPictureProps {
  source: string;
  annotations: NamedAnnotation[];
  /** The place of the one that stands out. */
  pointed: number | null;
  /** How keypoints are joined, by label; none where the model does not say. */
  edges?: ReadonlyMap<string, Edges>;
}

interface Size {
  width: number;
  height: number;
}

export function AnswerPicture({ source, annotations, pointed, edges }: AnswerPictureProps) {
  const { t } = useTranslation("services");
  const [size, setSize] = useState<Size | null>(null);
  const colourOf = useAnswerColours(annotations);
  const { handleEdge, tagText } = workbenchColours(useThemeMode());
  const shapes = useMemo(() => annotations.map((one, at) => ({ one, at })).filter(({ one }) => isDrawn(one) && one.type !== "mask").slice(0, MOST), [annotations]);
  const tags = useMemo(() => (size ? tagsOf(annotations.slice(0, MOST), size) : []), [annotations, size]);
  const isPointing = pointed !== null || undefined;
  return (
    <div className={styles.picture} data-tagged={tags.length > 0 || undefined}>
      <span className={styles.frame} style={{ "--tm-casing": handleEdge, "--tm-tag": tagText } as CSSProperties}>
        <img src={source} alt={t("test.sent")} style={enlarged(size)} onLoad={({ currentTarget }) => setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })} />
        {size && <Areas annotations={annotations} colourOf={colourOf} {...size} />}
        {size && (
          <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true" data-pointing={isPointing}>
            {shapes.map(({ one, at }) => (
              <Outline key={at} annotation={one} edges={edges?.get(one.label ?? "")} isOn={pointed === at} casing={styles.casing} line={styles.line} colour={colourOf(one.label)} />
            ))}
          </svg>
        )}
        <span className={styles.tags} aria-hidden="true" data-pointing={isPointing}>
          {tags
            .filter(({ at, isCrowded }) => !isCrowded || at === pointed)
            .map((tag) => (
              <TagText key={tag.at} tag={tag} annotation={annotations[tag.at]} colour={colourOf(annotations[tag.at]?.label)} isOn={pointed === tag.at} />
            ))}
        </span>
      </span>
    </div>
  );
}

function enlarged(size: Size | null): CSSProperties | undefined {
  if (!size || size.width >= SMALL_PX || size.height === 0) return undefined;
  return { width: Math.min(SMALL_PX, (HIGH_PX * size.width) / size.height) };
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

/** What it is, in letters that stay readable however large the picture is shown. */
function TagText({ tag, annotation, colour, isOn }: { tag: Tag; annotation: NamedAnnotation | undefined; colour: string; isOn: boolean }) {
  const format = useFormat();
  const { text, label, score } = annotation ?? {};
  const said = [text ?? label, score === undefined ? null : format.percent(score)].filter(Boolean).join(" ");
  if (said === "") return null;
  const place: CSSProperties = { [tag.isRight ? "right" : "left"]: `${tag.isRight ? 100 - tag.x : tag.x}%`, top: `${tag.y}%`, borderColor: colour };
  return (
    <span className={styles.tag} data-on={isOn || undefined} style={{ ...place, transform: `translateY(${tag.line * 100}%)` }}>
      {said}
    </span>
  );
}
