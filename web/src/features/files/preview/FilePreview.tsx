/** One file, shown in the way that suits it. Only as much of it is fetched as is shown. */
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { ScrollBox } from "@/ui/ScrollBox";
import { fileAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { BytesView } from "./BytesView";
import { DocumentContext } from "./document-context";
import { decodeText, useBeginning } from "./file-content";
import { ImageView } from "./ImageView";
import { PdfView } from "./PdfView";
import type { PreviewKind } from "./preview-kind";
import styles from "./Preview.module.css";

const CodeBox = lazy(() => import("../code/CodeBox"));
const MarkdownView = lazy(() => import("./MarkdownView"));
const NotebookView = lazy(() => import("./NotebookView"));
const SheetView = lazy(() => import("./SheetView"));

const TEXT_BYTES = 1024 * 1024;
const NOTEBOOK_BYTES = 32 * 1024 * 1024;
const PDF_BYTES = 100 * 1024 * 1024;

export interface PreviewFile {
  path: string;
  name: string;
  digest: string;
  size_bytes: number;
  media_type?: string | null;
}

interface FilePreviewProps {
  versionRef: VersionRef;
  file: PreviewFile;
  kind: PreviewKind;
  onOpen: (path: string) => void;
}

export function FilePreview({ versionRef, file, kind, onOpen }: FilePreviewProps) {
  const { t } = useTranslation("files");
  const [isBroken, setBroken] = useState(false);
  const bytesProps = { versionRef, path: file.path, digest: file.digest, size: file.size_bytes, mediaType: file.media_type };
  const address = fileAddress(versionRef, file.path);
  const broken = () => setBroken(true);

  if (isBroken) return <BytesView {...bytesProps} reason={t("preview.broken")} />;
  switch (kind) {
    case "image":
      return <ImageView address={address} name={file.name} onBroken={broken} />;
    case "audio":
      return (
        <div className={styles.media}>
          {/* eslint-disable-next-line jsx-a11y/media-has-caption -- a user's recording comes without captions */}
          <audio controls preload="metadata" src={address} onError={broken} />
        </div>
      );
    case "video":
      return (
        <div className={styles.media}>
          {/* eslint-disable-next-line jsx-a11y/media-has-caption -- a user's recording comes without captions */}
          <video controls preload="metadata" src={address} onError={broken} />
        </div>
      );
    case "pdf":
      if (file.size_bytes > PDF_BYTES) return <BytesView {...bytesProps} reason={t("preview.tooBig")} />;
      return <PdfView versionRef={versionRef} path={file.path} digest={file.digest} />;
    case "bytes":
      return <BytesView {...bytesProps} />;
    default:
      return <TextPreview versionRef={versionRef} file={file} kind={kind} onOpen={onOpen} />;
  }
}

function TextPreview({ versionRef, file, kind, onOpen }: FilePreviewProps) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const limit = kind === "notebook" ? NOTEBOOK_BYTES : TEXT_BYTES;
  const part = useBeginning(versionRef, file.path, file.digest, limit);
  if (part.isPending) return <Loading />;
  if (part.isError) return <ErrorState error={part.error} onRetry={() => void part.refetch()} />;

  const text = decodeText(part.data);
  const { isCut } = part.data;
  return (
    <div className={styles.pane}>
      {isCut && kind !== "table" && (
        <div className={styles.notice}>{t("preview.cut", { shown: format.bytes(limit), size: format.bytes(file.size_bytes) })}</div>
      )}
      <DocumentContext value={{ path: file.path, addressOf: (path) => fileAddress(versionRef, path), onOpen }}>
        <Suspense fallback={<Loading />}>{content()}</Suspense>
      </DocumentContext>
    </div>
  );

  function content() {
    if (kind === "table") return <SheetView text={text} isCut={isCut} />;
    if (kind === "markdown") {
      return (
        <ScrollBox className={styles.scroll} label={file.name}>
          <div className={styles.document}>
            <MarkdownView text={text} />
          </div>
        </ScrollBox>
      );
    }
    if (kind === "notebook" && !isCut) {
      return (
        <ScrollBox className={styles.scroll} label={file.name}>
          <NotebookView text={text} />
        </ScrollBox>
      );
    }
    return (
      <div className={styles.fill}>
        <CodeBox key={file.digest} text={text} path={file.path} label={file.name} />
      </div>
    );
  }
}
