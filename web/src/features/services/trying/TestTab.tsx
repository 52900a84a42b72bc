/** Try the service: give it something, see what it says drawn on it, and take the same call away as code. */
import { InboxOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Alert, Button, Input, Segmented, Tooltip, Upload } from "antd";
import { useMemo, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { packageVersionQuery } from "@/features/packages/queries";
import { useProjectPermission } from "@/features/projects/current-project";
import { parseRef } from "@/features/workloads/asset-ref";
import { useFormat } from "@/lib/format";
import { useAddress } from "@/ui/address";
import { CommandLine } from "@/ui/CommandLine";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import { useFailureText } from "@/ui/failure-text";
import { tryService } from "../api";
import type { ServiceRef, TestRequest } from "../api";
import { SnippetsPanel } from "../overview/SnippetsPanel";
import type { ServiceView, TestAnswer } from "../types";
import { AnswerView } from "./AnswerView";
import { useRowSample } from "./model-facts";
import { curlOf, inputOfTask, INPUTS, isJson, PREDICT, requestOf } from "./requests";
import type { InputKind } from "./requests";
import styles from "./Trying.module.css";

const BODY_MAX = 20 * 1024 ** 2;
const JSON_SAMPLE = '{"x": 1}';

export interface Tried {
  request: TestRequest;
  kind: InputKind;
  answer: TestAnswer;
}

export function TestTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const [params, change] = useAddress();
  const usual = useUsualInput(of, service);
  const kind = INPUTS.find((one) => one === params.get("with")) ?? usual;
  const path = params.get("path") ?? PREDICT;
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState("");
  const [json, setJson] = useState("");
  const failureText = useFailureText();
  const send = useMutation({ mutationFn: async (request: TestRequest): Promise<Tried> => ({ request, kind, answer: await tryService(of, request) }) });
  const request = useMemo(() => requestOf(kind, { file, text, json, path }), [kind, file, text, json, path]);
  const refusal = useRefusal(of, service, kind, request, json);
  const sample = useRowSample(kind === "json" ? (service.production ?? undefined) : undefined, of.project);
  return (
    <>
      <div className={styles.columns}>
        <Panel title={t("test.give")}>
          <div className={styles.tools}>
            <Segmented<InputKind>
              aria-label={t("test.with")}
              value={kind}
              options={INPUTS.map((value) => ({ value, label: t(`test.input.${value}`) }))}
              onChange={(next) => {
                change({ with: next === usual ? null : next });
                setFile(null);
                send.reset();
              }}
            />
          </div>
          {(kind === "picture" || kind === "audio") && <FileInput kind={kind} file={file} onChange={setFile} />}
          {kind === "text" && <Input.TextArea aria-label={t("test.input.text")} value={text} autoSize={{ minRows: 6, maxRows: 16 }} placeholder={t("test.typeText")} onChange={(event) => setText(event.target.value)} />}
          {kind === "json" && <Input.TextArea className={styles.code} aria-label={t("test.input.json")} value={json} status={json !== "" && !isJson(json) ? "error" : undefined} autoSize={{ minRows: 6, maxRows: 20 }} spellCheck={false} placeholder={sample ?? JSON_SAMPLE} onChange={(event) => setJson(event.target.value)} />}
          {kind === "json" && sample !== null && (
            <Button type="link" size="small" className={styles.sample} onClick={() => setJson(sample)}>
              {t("test.fillIn")}
            </Button>
          )}
          <Input className={styles.path} aria-label={t("test.path")} prefix={`${service.url}/`.replace(/^https?:\/\/[^/]+/, "")} value={path} spellCheck={false} onChange={(event) => change({ path: event.target.value === PREDICT ? null : event.target.value })} />
          <Tooltip title={refusal}>
            <Button type="primary" icon={<PlayCircleOutlined aria-hidden />} loading={send.isPending} disabled={refusal !== undefined} onClick={() => request && send.mutate(request)}>
              {t("test.send")}
            </Button>
          </Tooltip>
          {request && <CommandLine label={t("test.same")} text={curlOf(service.url, request, service.access === "key")} />}
        </Panel>
        <Panel title={t("test.answer")}>
          {send.error && <Alert type="error" showIcon title={failureText(send.error).title} description={failureText(send.error).text} />}
          {send.data ? <AnswerView tried={send.data} service={service} /> : !send.error && <EmptyState title={t("test.notYet")} text={t("test.notYetText")} />}
        </Panel>
      </div>
      <SnippetsPanel of={of} needsKey={service.access === "key"} />
    </>
  );
}

/** What its models are asked with, where the package knows that. */
function useUsualInput(of: ServiceRef, service: ServiceView): InputKind {
  const { name, version } = parseRef(service.production?.package ?? "");
  const found = useQuery({ ...packageVersionQuery({ project: of.project, package: name, version: version ?? 0 }), enabled: version !== null, staleTime: Infinity });
  return inputOfTask(found.data?.task ?? "");
}

function useRefusal(of: ServiceRef, service: ServiceView, kind: InputKind, request: TestRequest | null, json: string): string | undefined {
  const { t } = useTranslation("services");
  const format = useFormat();
  const canCall = useProjectPermission(of.project, "service.call");
  if (!canCall) return t("notAllowed");
  if (service.is_stopped) return t("test.stopped");
  if (service.ready === 0) return t("test.notReady");
  if (request === null) return t(`test.missing.${kind}`);
  if (kind === "json" && !isJson(json)) return t("test.badJson");
  const size = request.body instanceof Blob ? request.body.size : 0;
  return size > BODY_MAX ? t("test.large", { max: format.bytes(BODY_MAX) }) : undefined;
}

function FileInput({ kind, file, onChange }: { kind: "picture" | "audio"; file: File | null; onChange: (file: File | null) => void }) {
  const { t } = useTranslation("services");
  const address = useObjectUrl(file);
  return (
    <>
      <Upload.Dragger
        className={styles.drop}
        accept={kind === "picture" ? "image/*" : "audio/*"}
        showUploadList={false}
        maxCount={1}
        beforeUpload={(given) => {
          onChange(given);
          return false;
        }}
      >
        {address && kind === "picture" ? <img className={styles.preview} src={address} alt={file?.name ?? ""} /> : <InboxOutlined className={styles.dropIcon} aria-hidden />}
        <div>{file ? file.name : t(`test.drop.${kind}`)}</div>
      </Upload.Dragger>
      {address && kind === "audio" && (
        // eslint-disable-next-line jsx-a11y/media-has-caption -- the user's own recording
        <audio className={styles.audio} controls src={address} />
      )}
    </>
  );
}

/** Something of this page under an address the browser can show; given up when it is no longer shown. */
export function useObjectUrl(file: Blob | null): string | null {
  const held = useMemo(() => holdAddress(file), [file]);
  return useSyncExternalStore(held.subscribe, held.read);
}

function holdAddress(file: Blob | null): { subscribe: (tell: () => void) => () => void; read: () => string | null } {
  let address: string | null = null;
  return {
    subscribe: (tell) => {
      address = file && URL.createObjectURL(file);
      tell();
      return () => {
        if (address) URL.revokeObjectURL(address);
        address = null;
      };
    },
    read: () => address,
  };
}
