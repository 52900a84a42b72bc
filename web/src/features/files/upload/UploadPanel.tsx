/** All uploads of this tab, in a corner of every page, with their progress and how to hold or end them. */
import { CaretRightOutlined, CloseOutlined, DownOutlined, PauseOutlined, ReloadOutlined, UpOutlined } from "@ant-design/icons";
import { Progress } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useRefresh } from "@/features/assets/queries";
import { useFormat } from "@/lib/format";
import { useConfirm } from "@/ui/confirm";
import { useFailureText } from "@/ui/failure-text";
import { IconButton } from "@/ui/IconButton";
import type { FileProblem, UploadItem } from "./run";
import { uploads, useUploads } from "./uploads";
import type { Upload } from "./uploads";
import styles from "./UploadPanel.module.css";

const PROBLEMS_SHOWN = 50;
const SHOWN_MS = 6_000;

export function UploadPanel() {
  const { t } = useTranslation("files");
  const all = useUploads();
  const [isFolded, setFolded] = useState(false);
  const refresh = useRefresh();
  useEffect(() => uploads.onAttached((target) => void refresh.files(target)), [refresh]);
  if (all.length === 0) return null;

  const running = all.filter((upload) => upload.state === "running").length;
  return (
    <section className={styles.panel} aria-label={t("upload.panel")}>
      <div className={styles.head}>
        <span>{running > 0 ? t("upload.running", { count: running }) : t("upload.panel")}</span>
        <IconButton
          size="small"
          icon={isFolded ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          label={isFolded ? t("upload.unfold") : t("upload.fold")}
          onClick={() => setFolded(!isFolded)}
        />
      </div>
      {!isFolded && (
        <ul className={styles.list}>
          {all.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** What went well needs no clicking away. */
function useGoesByItself({ id, state, failed }: Upload): void {
  const isDone = state === "finished" && failed.length === 0;
  useEffect(() => {
    if (!isDone) return;
    const timer = window.setTimeout(() => uploads.dismiss(id), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [id, isDone]);
}

function UploadRow({ upload }: { upload: Upload }) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const failureText = useFailureText();
  const { place, state } = upload;
  useGoesByItself(upload);
  const percent = percentOf(upload.doneBytes, upload.bytes, upload.attached, upload.files);
  return (
    <li className={styles.item}>
      <div className={styles.top}>
        <Link className={styles.name} to={place.link}>
          {t("upload.into", { target: place.title })}
        </Link>
        <Buttons upload={upload} />
      </div>
      <div className={styles.bar}>
        <Progress
          size="small"
          showInfo={false}
          aria-label={t("upload.progress")}
          percent={percent}
          status={state === "failed" ? "exception" : state === "finished" ? "success" : state === "running" ? "active" : "normal"}
        />
      </div>
      <div className={styles.figures} aria-live="polite">
        <span>{stateText()}</span>
        <span>{speedText()}</span>
      </div>
      {state === "failed" && <p className={styles.error}>{failureText(upload.error).title}</p>}
      {upload.skipped > 0 && state === "finished" && <div className={styles.figures}>{t("upload.skipped", { count: upload.skipped })}</div>}
      <Problems items={upload.failed} />
    </li>
  );

  function stateText(): string {
    const figures = { files: format.number(upload.attached), all: format.number(upload.files), done: format.bytes(upload.doneBytes), bytes: format.bytes(upload.bytes) };
    if (upload.waitingS !== null) return t("upload.waiting", { seconds: upload.waitingS });
    if (state === "running" && upload.doneBytes === 0 && upload.hashedBytes < upload.bytes) {
      return t("upload.checking", { percent: format.percent(upload.hashedBytes / Math.max(1, upload.bytes)) });
    }
    if (state === "paused") return t("upload.paused", figures);
    if (state === "finished") return t("upload.finished", figures);
    return t("upload.figures", figures);
  }

  function speedText(): string {
    if (state !== "running" || upload.bytesPerSecond < 1) return "";
    const left = (upload.bytes - upload.doneBytes) / upload.bytesPerSecond;
    return t("upload.speed", { speed: format.bytes(upload.bytesPerSecond), left: format.duration(Math.ceil(left)) });
  }
}

function Buttons({ upload: { id, state, failed } }: { upload: Upload }) {
  const { t } = useTranslation("files");
  const confirm = useConfirm();
  const isOver = state === "finished" || state === "cancelled";
  const cancel = () =>
    confirm({ title: t("upload.cancelTitle"), text: t("upload.cancelText"), okText: t("upload.cancel"), onConfirm: () => uploads.cancel(id) });
  return (
    <>
      {state === "running" && <IconButton size="small" icon={<PauseOutlined aria-hidden />} label={t("upload.pause")} onClick={() => uploads.pause(id)} />}
      {state === "paused" && <IconButton size="small" icon={<CaretRightOutlined aria-hidden />} label={t("upload.resume")} onClick={() => uploads.resume(id)} />}
      {state === "failed" && <IconButton size="small" icon={<ReloadOutlined aria-hidden />} label={t("upload.retry")} onClick={() => uploads.resume(id)} />}
      {state === "finished" && failed.some(canBeTried) && (
        <IconButton size="small" icon={<ReloadOutlined aria-hidden />} label={t("upload.retryFailed")} onClick={() => uploads.retryFailed(id)} />
      )}
      <IconButton size="small" icon={<CloseOutlined aria-hidden />} label={isOver ? t("upload.dismiss") : t("upload.cancel")} onClick={isOver ? () => uploads.dismiss(id) : cancel} />
    </>
  );
}

function Problems({ items }: { items: UploadItem[] }) {
  const { t } = useTranslation("files");
  const failureText = useFailureText();
  if (items.length === 0) return null;
  const shown = items.slice(0, PROBLEMS_SHOWN);
  return (
    <ul className={styles.problems} aria-label={t("upload.problems")}>
      {shown.map((item) => (
        <li key={item.path}>{t("upload.problem", { path: item.path, reason: item.problem ? reasonOf(item.problem) : "" })}</li>
      ))}
      {items.length > shown.length && <li>{t("upload.moreProblems", { count: items.length - shown.length })}</li>}
    </ul>
  );

  function reasonOf(problem: FileProblem): string {
    if (problem.kind === "path") return t(`path.${problem.rule}`);
    if (problem.kind === "refused") return failureText(problem.error).title;
    return t(`upload.reason.${problem.kind}`);
  }
}

function canBeTried(item: UploadItem): boolean {
  return item.problem?.kind !== "path";
}

/** By bytes; by files when all of them are empty. */
function percentOf(doneBytes: number, bytes: number, attached: number, files: number): number {
  const share = bytes > 0 ? doneBytes / bytes : files > 0 ? attached / files : 1;
  return Math.floor(Math.min(1, share) * 100);
}
