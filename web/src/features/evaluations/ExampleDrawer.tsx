/** One of the worst examples, large: gone through with the arrow keys. */
import { LeftOutlined, RightOutlined } from "@ant-design/icons";
import { Drawer } from "antd";
import { useEffect, useEffectEvent, useState } from "react";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { ItemContent } from "@/features/datasets/items/ItemContent";
import type { DatasetVersionRef, ItemView } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { IconButton } from "@/ui/IconButton";
import { Loading } from "@/ui/Loading";
import { ExamplePicture } from "./ExamplePicture";
import type { Pointed, Shown } from "./ExamplePicture";
import { useItem } from "./item-query";
import { Key } from "./Key";
import type { Example, NamedAnnotation } from "./result";
import { useWhyText } from "./why-text";
import styles from "./Examples.module.css";

const NO_LABELS = new Map<number, never>();

interface ExampleDrawerProps {
  of: DatasetVersionRef | null;
  examples: Example[];
  at: number;
  shown: Shown;
  colours: CSSProperties;
  onOpen: (at: number | null) => void;
}

export function ExampleDrawer({ of, examples, at, shown, colours, onOpen }: ExampleDrawerProps) {
  const { t } = useTranslation("evaluations");
  const example = examples[at];
  const move = useEffectEvent((event: KeyboardEvent) => {
    if (event.target instanceof HTMLMediaElement) return;
    if (event.key === "ArrowLeft" && at > 0) onOpen(at - 1);
    if (event.key === "ArrowRight" && at < examples.length - 1) onOpen(at + 1);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => move(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  if (!example) return null;
  const steps = (
    <>
      <IconButton icon={<LeftOutlined aria-hidden />} label={t("worst.before")} disabled={at === 0} onClick={() => onOpen(at - 1)} />
      <IconButton icon={<RightOutlined aria-hidden />} label={t("worst.after")} disabled={at === examples.length - 1} onClick={() => onOpen(at + 1)} />
    </>
  );
  return (
    <Drawer open size={840} styles={{ wrapper: { maxWidth: "100vw" } }} title={<span className={styles.title}>{example.path || t("worst.item", { number: example.seq })}</span>} extra={steps} closable={{ "aria-label": t("worst.close") }} onClose={() => onOpen(null)}>
      <div style={colours}>
        <Inside key={example.seq} of={of} example={example} shown={shown} />
        {of && (
          <p style={{ marginTop: 16 }}>
            <Link to={`${datasetVersionPath(of)}?item=${example.seq}`}>{t("worst.toItem")}</Link>
          </p>
        )}
      </div>
    </Drawer>
  );
}

function Inside({ of, example, shown }: { of: DatasetVersionRef | null; example: Example; shown: Shown }) {
  const { t } = useTranslation("evaluations");
  const [pointed, setPointed] = useState<Pointed | null>(null);
  return (
    <>
      {of ? <Look of={of} example={example} shown={shown} pointed={pointed} /> : <EmptyState title={t("worst.gone")} />}
      <Lists example={example} onPoint={setPointed} />
    </>
  );
}

interface LookProps {
  of: DatasetVersionRef;
  example: Example;
  shown: Shown;
  pointed: Pointed | null;
}

function Look({ of, example, ...rest }: LookProps) {
  const { t } = useTranslation("evaluations");
  const item = useItem(of, example.seq);
  if (item.isPending) return <Loading />;
  if (!item.data) return <EmptyState title={t("worst.gone")} />;
  return <Large of={of} item={item.data} example={example} {...rest} />;
}

function Large({ of, item, ...rest }: LookProps & { item: ItemView }) {
  if (!item.media.startsWith("image/")) return <ItemContent of={of} item={item} annotations={[]} labels={NO_LABELS} highlighted={null} />;
  return (
    <div className={styles.large}>
      <ExamplePicture of={of} item={item} {...rest} />
    </div>
  );
}

function Lists({ example, onPoint }: { example: Example; onPoint: (pointed: Pointed | null) => void }) {
  const { t } = useTranslation("evaluations");
  const whyText = useWhyText();
  const format = useFormat();
  return (
    <>
      <p style={{ marginTop: 12 }}>
        <span className={styles.why}>{whyText(example.why)}</span> <span className="tm-muted">{t("worst.badnessIs", { share: format.percent(example.badness) })}</span>
      </p>
      <div className={styles.lists}>
        <AnnotationsOf kind="truth" annotations={example.truth} onPoint={onPoint} />
        <AnnotationsOf kind="predicted" annotations={example.predicted} onPoint={onPoint} />
      </div>
    </>
  );
}

function AnnotationsOf({ kind, annotations, onPoint }: { kind: "truth" | "predicted"; annotations: NamedAnnotation[]; onPoint: (pointed: Pointed | null) => void }) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  return (
    <section>
      <h3>
        <Key kind={kind} />
      </h3>
      {annotations.length === 0 && <span className="tm-muted">{t("worst.nothing")}</span>}
      <ul>
        {annotations.map((one, at) => (
          <li key={at} onMouseEnter={() => onPoint({ kind, at })} onMouseLeave={() => onPoint(null)}>
            <span>{one.text ?? one.label ?? (typeof one.value === "number" ? format.compact(one.value) : one.type)}</span>
            {typeof one.score === "number" && <span className="tm-muted">{format.percent(one.score)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
