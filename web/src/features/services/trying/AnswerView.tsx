import { Alert, Segmented, Tag } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Edges } from "@/features/annotate/model/skeleton";
import { useFormat } from "@/lib/format";
import { useAddress } from "@/ui/address";
import { CopyButton } from "@/ui/CopyText";
import { ScrollBox } from "@/ui/ScrollBox";
import type { ServiceView, TestAnswer, TrackView } from "../types";
import { pretty, readAnswer } from "./answer";
import type { Answer } from "./answer";
import { AnswerList } from "./AnswerList";
import { AnswerPicture } from "./AnswerPicture";
import { useEdges } from "./model-facts";
import { rawRequest } from "./requests";
import { useObjectUrl } from "./TestTab";
import type { Tried } from "./TestTab";
import styles from "./Trying.module.css";

const VIEWS = ["shown", "response", "request"] as const;
type View = (typeof VIEWS)[number];

/** What came back: drawn, and as it went over the wire in both directions. */
export function AnswerView({ tried, service }: { tried: Tried; service: ServiceView }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const [params, change] = useAddress();
  const { request, answer } = tried;
  const read = useMemo(() => (answer.status < 400 ? readAnswer(answer.text) : null), [answer]);
  const edges = useEdges(trackOf(answer.version, service), service.project, read);
  const views = read ? VIEWS : VIEWS.filter((view) => view !== "shown");
  const view = views.find((one) => one === params.get("answer")) ?? views[0] ?? "response";
  const raw = view === "request" ? rawRequest(service.url, request, format.bytes) : rawResponse(answer);
  return (
    <>
      <div className={styles.facts} aria-live="polite">
        <Tag color={answer.status < 400 ? "success" : "error"}>{answer.status}</Tag>
        <span>{t("ms", { value: format.decimal(answer.latency_ms, 1) })}</span>
        {answer.version !== null && <span>{t("test.version", { version: versionText(answer.version, service) })}</span>}
        {answer.replica !== null && <span className="tm-muted">{t("test.replica", { replica: replicaName(answer.replica, service) })}</span>}
      </div>
      {answer.status >= 400 && <Alert className={styles.banner} type="error" showIcon title={t("test.refused", { status: answer.status })} />}
      <div className={styles.tools}>
        <Segmented<View> aria-label={t("test.view")} value={view} options={views.map((value) => ({ value, label: t(`test.as.${value}`) }))} onChange={(next) => change({ answer: next === views[0] ? null : next })} />
      </div>
      {view === "shown" && read ? (
        <Shown tried={tried} answer={read} edges={edges} />
      ) : (
        <div className={styles.rawBox}>
          <ScrollBox label={t(`test.as.${view}`)} className={styles.raw}>
            <pre>{raw}</pre>
          </ScrollBox>
          <span className={styles.rawCopy}>
            <CopyButton text={raw} />
          </span>
        </div>
      )}
      {answer.is_cut && <p className="tm-muted">{t("test.cut")}</p>}
    </>
  );
}

function Shown({ tried, answer, edges }: { tried: Tried; answer: Answer; edges: ReadonlyMap<string, Edges> }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { body } = tried.request;
  const source = useObjectUrl(tried.kind === "picture" && body instanceof Blob ? body : null);
  return (
    <>
      {source && <AnswerPicture source={source} annotations={answer.annotations} pointed={pointed} edges={edges} />}
      {tried.kind === "text" && typeof body === "string" && <blockquote className={styles.quote}>{body}</blockquote>}
      <AnswerList answer={answer} onPoint={setPointed} />
    </>
  );
}

function rawResponse(answer: TestAnswer): string {
  const head = [`HTTP/1.1 ${answer.status}`, ...Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`)];
  return `${head.join("\n")}\n\n${answer.text === null ? (answer.base64 ?? "") : pretty(answer.text)}`;
}

/** Which track that deployment is on now. */
function versionText(version: string, service: ServiceView): string {
  return trackOf(version, service)?.package ?? version;
}

function trackOf(version: string | null, service: ServiceView): TrackView | undefined {
  return [service.production, service.canary].find((one) => one !== null && String(one.number) === version) ?? undefined;
}

function replicaName(id: string, service: ServiceView): string {
  return [service.production, service.canary].flatMap((track) => track?.replicas ?? []).find((replica) => replica.id === id)?.name ?? id;
}
