/** One result, large: gone through with the arrow keys. */
import { LeftOutlined, RightOutlined } from "@ant-design/icons";
import { Alert, Drawer } from "antd";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { useLabelLooks } from "@/features/evaluations/label-looks";
import { useFormat } from "@/lib/format";
import { IconButton } from "@/ui/IconButton";
import { ScrollBox } from "@/ui/ScrollBox";
import { datasetOf } from "../queries";
import type { InferenceRun, ResultView } from "../types";
import { annotationsOf, probabilitiesOf } from "./result";
import { useCasing } from "./ResultGrid";
import { Drawn, useResultText } from "./ResultPicture";
import type { ResultLook } from "./ResultPicture";
import styles from "../Inference.module.css";

const TEXT_BYTES = 200_000;

interface ResultDrawerProps {
  run: InferenceRun;
  results: ResultView[];
  at: number;
  onOpen: (at: number | null) => void;
}

export function ResultDrawer({ run, results, at, onOpen }: ResultDrawerProps) {
  const { t } = useTranslation("inference");
  const casing = useCasing();
  const result = results[at];
  const of = datasetOf(run);
  const move = useEffectEvent((event: KeyboardEvent) => {
    if (event.target instanceof HTMLMediaElement) return;
    if (event.key === "ArrowLeft" && at > 0) onOpen(at - 1);
    if (event.key === "ArrowRight" && at < results.length - 1) onOpen(at + 1);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => move(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  if (!result) return null;
  const steps = (
    <>
      <IconButton icon={<LeftOutlined aria-hidden />} label={t("results.before")} disabled={at === 0} onClick={() => onOpen(at - 1)} />
      <IconButton icon={<RightOutlined aria-hidden />} label={t("results.after")} disabled={at === results.length - 1} onClick={() => onOpen(at + 1)} />
    </>
  );
  return (
    <Drawer open size={840} styles={{ wrapper: { maxWidth: "100vw" } }} title={<span className={styles.title}>{result.path}</span>} extra={steps} closable={{ "aria-label": t("results.close") }} onClose={() => onOpen(null)}>
      <div style={casing}>
        <Inside key={result.seq} run={run} result={result} />
        {of && (
          <p style={{ marginTop: 16 }}>
            <Link to={`${datasetVersionPath(of)}?item=${result.seq}`}>{t("results.toItem")}</Link>
          </p>
        )}
      </div>
    </Drawer>
  );
}

function Inside({ run, result }: ResultLook) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const [pointed, setPointed] = useState<number | null>(null);
  const { colourOf } = useLabelLooks(datasetOf(run));
  const annotations = annotationsOf(result);
  const probabilities = probabilitiesOf(result);
  return (
    <>
      <Large run={run} result={result} pointed={pointed} />
      {result.error !== null && <Alert type="error" showIcon title={t("results.failed")} description={result.error} />}
      {result.error === null && annotations.length === 0 && result.value === null && <p className="tm-muted">{t("results.nothing")}</p>}
      <ul className={styles.found} aria-label={t("results.said")}>
        {annotations.map((one, at) => (
          <li key={at} onMouseEnter={() => setPointed(at)} onMouseLeave={() => setPointed(null)}>
            <i style={{ background: colourOf(one.label) }} aria-hidden="true" />
            <span>{one.text ?? one.label ?? (typeof one.value === "number" ? format.compact(one.value) : one.type)}</span>
            <span className="tm-muted">{typeof one.score === "number" ? format.percent(one.score) : ""}</span>
          </li>
        ))}
      </ul>
      {probabilities.length > 1 && (
        <>
          <h3 style={{ marginTop: 16 }}>{t("results.probabilities")}</h3>
          <ul className={styles.bars}>
            {probabilities.map(({ label, share }) => (
              <li key={label}>
                <span>{label}</span>
                <span className={styles.bar} aria-hidden="true">
                  <i style={{ width: `${share * 100}%` }} />
                </span>
                <span className="tm-muted">{format.percent(share)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Large({ run, result, pointed }: ResultLook & { pointed: number | null }) {
  const { t } = useTranslation("inference");
  const media = result.media ?? "";
  if (!result.content) return <p className="tm-muted">{t("results.gone")}</p>;
  if (media.startsWith("image/")) {
    return (
      <div className={styles.large}>
        <Drawn run={run} result={result} source={result.content} pointed={pointed} label={result.path} />
      </div>
    );
  }
  // eslint-disable-next-line jsx-a11y/media-has-caption -- what is said in it is what was to be found out
  if (media.startsWith("audio/")) return <audio style={{ width: "100%" }} controls src={result.content} aria-label={result.path} />;
  return <Text result={result} />;
}

function Text({ result }: { result: ResultView }) {
  const text = useResultText(result, TEXT_BYTES);
  return (
    <ScrollBox label={result.path}>
      <pre style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{text ?? ""}</pre>
    </ScrollBox>
  );
}
