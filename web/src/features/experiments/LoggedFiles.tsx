/** Files that were logged to a run: folders to look into, files to take. */
import { DownloadOutlined, FileOutlined, FolderOutlined } from "@ant-design/icons";
import { Breadcrumb, Button, Skeleton, Table } from "antd";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { runsKey } from "@/features/training/queries";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { IconButton } from "@/ui/IconButton";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { listLoggedFiles, loggedAddress } from "./api";
import type { LoggedFile } from "./types";
import styles from "./Experiments.module.css";

const LIMIT = 100;
const TAB = "logged";

interface LoggedFilesProps {
  project: string;
  /** Its id. */
  run: string;
}

export function LoggedFiles({ project, run }: LoggedFilesProps) {
  const { t } = useTranslation(["experiments", "training"]);
  const [params] = useSearchParams();
  const path = params.get("path") ?? "";
  const files = useInfiniteQuery({
    queryKey: [...runsKey(project), "logged", run, path],
    queryFn: ({ pageParam }) => listLoggedFiles({ project, run }, { path, limit: LIMIT, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
  if (files.isPending) return <Skeleton active />;
  if (files.isError) return <ErrorState error={files.error} onRetry={() => void files.refetch()} />;
  const rows = files.data.pages.flatMap((page) => page.items);
  if (rows.length === 0 && path === "") return <EmptyState title={t("logged.none")} text={t("logged.noneText")} />;
  return (
    <Panel>
      <Path path={path} />
      <TableBox label={t("logged.title")}>
        <FilesTable rows={rows} addressOf={(file) => loggedAddress({ project, run }, file.path)} />
      </TableBox>
      {files.hasNextPage && (
        <Button size="small" loading={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
          {t("training:files.more")}
        </Button>
      )}
    </Panel>
  );
}

function folderLink(path: string): string {
  return `?${new URLSearchParams(path ? { tab: TAB, path } : { tab: TAB })}`;
}

function Path({ path }: { path: string }) {
  const { t } = useTranslation("experiments");
  const parts = path.split("/").filter(Boolean);
  const items = [
    { title: <Link to={folderLink("")}>{t("logged.title")}</Link> },
    ...parts.map((part, index) => ({ title: index === parts.length - 1 ? part : <Link to={folderLink(parts.slice(0, index + 1).join("/"))}>{part}</Link> })),
  ];
  return <Breadcrumb className={styles.path} items={items} />;
}

function FilesTable({ rows, addressOf }: { rows: LoggedFile[]; addressOf: (file: LoggedFile) => string }) {
  const { t } = useTranslation(["training", "common"]);
  const format = useFormat();
  return (
    <Table<LoggedFile>
      size="small"
      rowKey="path"
      dataSource={rows}
      pagination={false}
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
              <a href={addressOf(file)} target="_blank" rel="noreferrer">
                <FileOutlined aria-hidden /> {file.name}
              </a>
            ),
        },
        { key: "size", title: t("files.size"), align: "right", render: (_value, file) => format.bytes(file.size_bytes) },
        { key: "updated", title: t("common:field.updatedAt"), render: (_value, file) => <RelativeTime at={file.updated_at} /> },
        {
          key: "get",
          title: <span className="tm-hidden">{t("files.download")}</span>,
          width: 48,
          render: (_value, file) => file.type === "file" && <IconButton size="small" href={addressOf(file)} download={file.name} icon={<DownloadOutlined aria-hidden />} label={t("files.downloadNamed", { name: file.name })} />,
        },
      ]}
    />
  );
}
