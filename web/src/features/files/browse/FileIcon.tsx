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
  text: <FileTextOutlined aria-hidden />,
  markdown: <FileMarkdownOutlined aria-hidden />,
  table: <TableOutlined aria-hidden />,
  notebook: <ReadOutlined aria-hidden />,
  image: <FileImageOutlined aria-hidden />,
  audio: <AudioOutlined aria-hidden />,
  video: <VideoCameraOutlined aria-hidden />,
  pdf: <FilePdfOutlined aria-hidden />,
  bytes: <FileOutlined aria-hidden />,
};

const CODE = new Set("py js ts tsx jsx c cc cpp h hpp cu java go rs sh json yaml yml toml sql html css r lua rb".split(" "));

export function FileIcon({ entry }: { entry: EntryView }) {
  if (entry.type === "dir") {
    return (
      <span className={styles.icon} data-folder aria-hidden>
        <FolderFilled aria-hidden />
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
  if (hasStructure(entry.path)) return <PartitionOutlined aria-hidden />;
  if (CODE.has(extensionOf(entry.path))) return <CodeOutlined aria-hidden />;
  return ICONS[previewKindOf(entry)];
}
