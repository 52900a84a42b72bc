/** A model file drawn as a graph by Netron, which runs on an origin of its own. */
import { ExportOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { openViewer } from "@/features/assets/api";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { baseName } from "./paths";
import { versionAddress } from "./version-ref";
import type { VersionRef } from "./version-ref";
import preview from "./preview/Preview.module.css";

/** A ticket is good for some minutes; it is asked for anew each time the view is opened. */
export function StructureView({ versionRef, path }: { versionRef: VersionRef; path: string }) {
  const { t } = useTranslation("files");
  const [isDrawn, setDrawn] = useState(false);
  const viewer = useQuery({
    queryKey: ["viewer", versionAddress(versionRef), path],
    queryFn: () => openViewer(versionRef, path),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
  if (viewer.isError) return <ErrorState error={viewer.error} onRetry={() => void viewer.refetch()} />;
  if (!viewer.data) return <Loading />;
  return (
    <div className={preview.pane}>
      <div className={preview.zoom}>
        <span>{t("structure.by")}</span>
        <Button size="small" type="link" icon={<ExportOutlined aria-hidden />} href={viewer.data.url} target="_blank" rel="noreferrer">
          {t("structure.newTab")}
        </Button>
        <Button size="small" type="link" onClick={() => void viewer.refetch()}>
          {t("structure.again")}
        </Button>
      </div>
      {!isDrawn && <Loading />}
      <iframe
        key={viewer.data.url}
        className={preview.frame}
        style={isDrawn ? undefined : { flex: "0 0 0" }}
        src={viewer.data.url}
        title={t("structure.title", { name: baseName(path) })}
        sandbox="allow-scripts allow-same-origin allow-downloads"
        referrerPolicy="no-referrer"
        onLoad={() => setDrawn(true)}
      />
    </div>
  );
}
