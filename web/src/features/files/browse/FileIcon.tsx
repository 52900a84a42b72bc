import {
  AudioOutlined,
  CodeOutlined,
  FileImageOutlined,
  FileMarkdownOutlined,
  FileOutlined,
  FilePdfOutlined,
  FileTextOutlined,
  FolderFilled,
  PartitionOutlined,
  ReadOutlined,
  TableOutlined,
  VideoCameraOutlined,
} from "@ant-design/icons";
import type { ReactNode } from "react";
import type { EntryView } from "@/features/assets/types";
import { hasStructure, previewKindOf } from "../preview/preview-kind";
import type { PreviewKind } from "../preview/preview-kind";
import { extensionOf } from "../paths";
import styles from "./Browse.module.css";

const ICONS: Record<PreviewKind, ReactNode> = {
  text: <FileTextOutlined />,
  markdown: <FileMarkdownOutlined />,
  table: <TableOutlined />,
  notebook: <ReadOutlined />,
  image: <FileImageOutlined />,
  audio: <AudioOutlined />,
  video: <VideoCameraOutlined />,
  pdf: <FilePdfOutlined />,
  bytes: <FileOutlined />,
};

const CODE = new Set("py js ts tsx jsx c cc cpp h hpp cu java go rs sh json yaml yml toml sql html css r lua rb".split(" "));

export function FileIcon({ entry }: { entry: EntryView }) {
  if (entry.type === "dir") {
    return (
      <span className={styles.icon} data-folder aria-hidden>
        <FolderFilled />
      </span>
    );
  }
  return (
    <span className={styles.icon} aria-hidden>
      {iconOf(entry)}
    </span>
  );
}

function iconOf(entry: EntryView): ReactNode {
  if (hasStructure(entry.path)) return <PartitionOutlined />;
  if (CODE.has(extensionOf(entry.path))) return <CodeOutlined />;
  return ICONS[previewKindOf(entry)];
}
