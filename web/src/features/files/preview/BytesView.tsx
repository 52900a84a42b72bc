import { Button } from "antd";
import { DownloadOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { ScrollBox } from "@/ui/ScrollBox";
import { fileAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { useBeginning } from "./file-content";
import { hexLines } from "./hex";
import styles from "./Preview.module.css";

const SHOWN_BYTES = 512;

interface BytesViewProps {
  versionRef: VersionRef;
  path: string;
  digest: string;
  size: number;
  mediaType?: string | null;
  /** Why it is shown like this, when something better was tried. */
  reason?: string;
}

/** A file the browser cannot show: what is known about it, its first bytes, and a way to have it. */
export function BytesView({ versionRef, path, digest, size, mediaType, reason }: BytesViewProps) {
  const { t } = useTranslation("files");
  const format = useFormat();
  const part = useBeginning(versionRef, path, digest, SHOWN_BYTES);
  return (
    <ScrollBox className={`${styles.scroll} ${styles.facts}`} label={path}>
      <p>{reason ?? t("preview.noPreview")}</p>
      <p className="tm-muted">{t("preview.facts", { size: format.bytes(size), type: mediaType || t("preview.unknownType") })}</p>
      <Button icon={<DownloadOutlined aria-hidden />} href={fileAddress(versionRef, path, true)} style={{ marginTop: 12 }}>
        {t("action.download")}
      </Button>
      {part.data && part.data.bytes.length > 0 && (
        <pre className={styles.hex} aria-label={t("preview.firstBytes")}>
          {hexLines(part.data.bytes).join("\n")}
        </pre>
      )}
    </ScrollBox>
  );
}
