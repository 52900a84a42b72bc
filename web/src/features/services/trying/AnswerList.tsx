/** What was found, in words: label, how sure, text, value. */
import { Progress } from "antd";
import { useTranslation } from "react-i18next";
import type { NamedAnnotation } from "@/features/evaluations/result";
import { useFormat } from "@/lib/format";
import type { Answer } from "./answer";
import { useAnswerColours } from "./colours";
import styles from "./Trying.module.css";

const SHOWN = 200;
/** Classes that are told where one was chosen among them. */
const CLASSES = 5;

interface AnswerListProps {
  answer: Answer;
  onPoint: (at: number | null) => void;
}

export function AnswerList({ answer, onPoint }: AnswerListProps) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const { annotations, value } = answer;
  const others = answer.others.slice(0, Math.max(0, CLASSES - annotations.length));
  const colourOf = useAnswerColours(annotations);
  if (annotations.length === 0 && others.length === 0 && value === null) return <p className="tm-muted">{t("test.nothing")}</p>;
  return (
    <>
      {value !== null && <p className={styles.value}>{format.compact(value)}</p>}
      <ul className={styles.found} aria-label={t("test.found")}>
        {annotations.slice(0, SHOWN).map((one, at) => (
          <li key={at} onMouseEnter={() => onPoint(at)} onMouseLeave={() => onPoint(null)}>
            <Said annotation={one} colour={colourOf(one.label)} />
          </li>
        ))}
        {others.map(([label, score]) => (
          <li key={`other ${label}`} className={styles.less}>
            <Said annotation={{ type: "class", label, score }} colour="transparent" />
          </li>
        ))}
      </ul>
      {annotations.length > SHOWN && <p className="tm-muted">{t("test.more", { count: annotations.length - SHOWN })}</p>}
    </>
  );
}

function Said({ annotation, colour }: { annotation: NamedAnnotation; colour: string }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const { label, text, score, value } = annotation;
  const when = annotation.type === "segment" ? t("test.segment", { start: format.decimal(annotation.start, 2), end: format.decimal(annotation.end, 2) }) : null;
  return (
    <>
      <span className={styles.label}>
        {label && <i style={{ background: colour }} aria-hidden />}
        {[label, text, value === undefined ? null : format.compact(value)].filter(Boolean).join(" · ") || t("test.unnamed")}
      </span>
      {when && <span className="tm-muted">{when}</span>}
      {score !== undefined && (
        <span className={styles.score}>
          <Progress percent={Math.round(Math.min(1, Math.max(0, score)) * 100)} size="small" status="normal" showInfo={false} aria-label={t("test.score")} />
          <span>{format.percent(score)}</span>
        </span>
      )}
    </>
  );
}
