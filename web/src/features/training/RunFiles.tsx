/** What a run left in its workspace: folders to look into, files to take. */
import { DownloadOutlined, FileOutlined, FolderOutlined } from "@ant-design/icons";
import { Breadcrumb, Button, Skeleton, Table } from "antd";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { isEnded } from "@/features/workloads/states";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { IconButton } from "@/ui/IconButton";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { fileAddress, listFiles } from "./api";
import { filesKey } from "./queries";
import type { RunFile, RunView } from "./types";
import styles from "./Training.module.css";

const LIMIT = 200;
const LIVE_MS = 5_000;
const ROOT = "/workspace";

export function RunFiles({ project, run }: { project: string; run: RunView }) {
  const ref = { project, run: run.name };
  return <WorkspaceFiles queryKey={filesKey(ref)} load={(query) => listFiles(ref, query)} addressOf={(path) => fileAddress(ref, path)} isLive={!isEnded(run.state)} />;
}

interface WorkspaceFilesProps {
  queryKey: readonly unknown[];
  load: (query: { path: string; cursor?: string; limit: number }) => Promise<{ items: RunFile[]; next: string | null }>;
  addressOf: (path: string) => string;
  isLive: boolean;
}

/** The same for anything that runs in a workspace. */
export function WorkspaceFiles({ queryKey, load, addressOf, isLive }: WorkspaceFilesProps) {
  const { t } = useTranslation("training");
  const [params] = useSearchParams();
  const path = params.get("path") ?? "";
  const files = useInfiniteQuery({
    queryKey: [...queryKey, path],
    queryFn: ({ pageParam }) => load({ path, limit: LIMIT, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: isLive ? LIVE_MS : false,
  });
  if (files.isPending) return <Skeleton active />;
  if (files.isError) return <ErrorState error={files.error} onRetry={() => void files.refetch()} />;
  const rows = files.data.pages.flatMap((page) => page.items);
  if (rows.length === 0 && path === "") return <EmptyState title={t("files.none")} text={t("files.noneText")} />;
  return (
    <Panel>
      <Path path={path} />
      <TableBox label={t("files.title")}>
        <FilesTable addressOf={addressOf} rows={rows} />
      </TableBox>
      {files.hasNextPage && (
        <Button size="small" loading={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
          {t("files.more")}
        </Button>
      )}
    </Panel>
  );
}

function folderLink(path: string): string {
  return `?${new URLSearchParams(path ? { tab: "files", path } : { tab: "files" })}`;
}

function Path({ path }: { path: string }) {
  const parts = path.split("/").filter(Boolean);
  const items = [
    { title: <Link to={folderLink("")}>{ROOT}</Link> },
    ...parts.map((part, index) => ({ title: index === parts.length - 1 ? part : <Link to={folderLink(parts.slice(0, index + 1).join("/"))}>{part}</Link> })),
  ];
  return <Breadcrumb className={styles.path} items={items} />;
}

function FilesTable({ addressOf, rows }: { addressOf: (path: string) => string; rows: RunFile[] }) {
  const { t } = useTranslation(["training", "common"]);
  const format = useFormat();
  return (
    <Table<RunFile>
      size="small"
      rowKey="path"
      dataSource={rows}
      pagination={false}
      locale={{ emptyText: t("files.emptyFolder") }}
      columns={[
        {
          key: "name",
          title: t("common:field.name"),
          render: (_value, file) =>
            file.type === "dir" ? (
              <Link to={folderLink(file.path)}>
                <FolderOutlined aria-hidden /> {file.name}
              </Link>
            ) : (
              <span>
                <FileOutlined aria-hidden /> {file.name}
              </span>
            ),
        },
        { key: "size", title: t("files.size"), align: "right", render: (_value, file) => (file.type === "dir" ? "" : format.bytes(file.size_bytes)) },
        { key: "updated", title: t("common:field.updatedAt"), render: (_value, file) => <RelativeTime at={file.updated_at} /> },
        {
          key: "get",
          title: <span className="tm-hidden">{t("files.download")}</span>,
          width: 48,
          render: (_value, file) =>
            file.type === "file" && (
              <IconButton size="small" href={addressOf(file.path)} download={file.name} icon={<DownloadOutlined aria-hidden />} label={t("files.downloadNamed", { name: file.name })} />
            ),
        },
      ]}
    />
  );
}
