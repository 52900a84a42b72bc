import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import type { VersionRef } from "../version-ref";
import { versionAddress } from "../version-ref";
import { fetchBlob } from "./file-content";
import styles from "./Preview.module.css";

/** The browser's own reader, given the bytes with their type fixed, so that it can be nothing but a PDF. */
export function PdfView({ versionRef, path, digest }: { versionRef: VersionRef; path: string; digest: string }) {
  const { t } = useTranslation("files");
  const blob = useQuery({
    queryKey: ["file-blob", versionAddress(versionRef), path, digest],
    queryFn: ({ signal }) => fetchBlob(versionRef, path, "application/pdf", signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (blob.isError) return <ErrorState error={blob.error} onRetry={() => void blob.refetch()} />;
  if (!blob.data) return <Loading />;
  return <BlobFrame blob={blob.data} title={t("preview.pdf", { name: path })} />;
}

/** The address of the bytes lives as long as the frame that shows them. */
function BlobFrame({ blob, title }: { blob: Blob; title: string }) {
  const show = useCallback(
    (frame: HTMLIFrameElement | null) => {
      if (!frame) return undefined;
      const address = URL.createObjectURL(blob);
      frame.src = address;
      return () => URL.revokeObjectURL(address);
    },
    [blob],
  );
  return <iframe ref={show} className={styles.frame} title={title} />;
}
