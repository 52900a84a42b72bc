import { useTranslation } from "react-i18next";
import type { Annotation } from "@/features/annotate/model/types";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import type { Labels } from "../types";
import styles from "./Items.module.css";

interface AnnotationListProps {
  annotations: Annotation[];
  labels: Labels;
  onPoint: (id: string | null) => void;
}

export function AnnotationList({ annotations, labels, onPoint }: AnnotationListProps) {
  const { t } = useTranslation("datasets");
  const measure = useMeasure();
  if (annotations.length === 0) return <EmptyState title={t("items.noAnnotations")} />;
  return (
    <ul className={styles.annotations}>
      {annotations.map((annotation) => {
        const label = annotation.label === undefined ? undefined : labels.get(annotation.label);
        return (
          <li key={annotation.id} onMouseEnter={() => onPoint(annotation.id)} onMouseLeave={() => onPoint(null)}>
            <i style={{ background: label?.colour }} aria-hidden="true" />
            <span className={styles.annotationName}>
              {label?.name ?? t("items.noLabel")}
              {annotation.text && <span className={styles.annotationText}>{annotation.text}</span>}
              <Attributes of={annotation} />
            </span>
            <span className="tm-muted">
              {t(`shape.${annotation.type}`)} {measure(annotation)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Attributes({ of }: { of: Annotation }) {
  const entries = Object.entries(of.attributes ?? {});
  if (entries.length === 0) return null;
  return <span className="tm-muted"> {entries.map(([name, value]) => `${name}: ${String(value)}`).join(" · ")}</span>;
}

function useMeasure(): (annotation: Annotation) => string {
  const { t } = useTranslation("datasets");
  const format = useFormat();
  const n = (value: number) => format.decimal(value, 1);
  return (annotation) => {
    switch (annotation.type) {
      case "box":
        return `${n(annotation.w)} × ${n(annotation.h)}`;
      case "segment":
        return `${n(annotation.start)}–${n(annotation.end)} s`;
      case "polygon":
        return t("items.corners", { count: annotation.rings.reduce((sum, ring) => sum + ring.length / 2, 0) });
      case "keypoints":
        return t("items.points", { count: annotation.points.filter(([, , visible]) => visible > 0).length });
      default:
        return "";
    }
  };
}
