/** How a file is shown, decided by its name first, then by what the server found in it. */
import { extensionOf } from "../paths";

export type PreviewKind = "text" | "markdown" | "table" | "notebook" | "image" | "audio" | "video" | "pdf" | "bytes";

const BY_EXTENSION: Record<string, PreviewKind> = {
  md: "markdown",
  markdown: "markdown",
  csv: "table",
  tsv: "table",
  ipynb: "notebook",
  pdf: "pdf",
  ...each("image", "png jpg jpeg gif webp bmp ico avif svg"),
  ...each("audio", "wav mp3 flac ogg oga opus m4a aac"),
  ...each("video", "mp4 webm ogv mov m4v mkv"),
};

export interface PreviewFacts {
  path: string;
  media_type?: string | null;
  is_text?: boolean | null;
}

export function previewKindOf({ path, media_type, is_text }: PreviewFacts): PreviewKind {
  const byName = BY_EXTENSION[extensionOf(path)];
  if (byName) return byName;
  if (is_text) return "text";
  const family = media_type?.split("/", 1)[0];
  if (family === "image" || family === "audio" || family === "video") return family;
  return "bytes";
}

/** Kinds that are text underneath, so that they can be edited and shown as source. */
export function isTextual(kind: PreviewKind, path: string): boolean {
  return kind === "text" || kind === "markdown" || kind === "table" || kind === "notebook" || extensionOf(path) === "svg";
}

function each(kind: PreviewKind, extensions: string): Record<string, PreviewKind> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, kind]));
}

const NETRON = new Set([
  ..."onnx ort tflite keras h5 hdf5 safetensors pt pth pt2 jit torchscript pb pbtxt mlmodel mlpackage caffemodel prototxt".split(" "),
  ..."param bin.xml mnn gguf xmodel om rknn dlc armnn uff nnef tmfile paddle pdmodel".split(" "),
]);

/** Files whose structure the model viewer can draw. */
export function hasStructure(path: string): boolean {
  return NETRON.has(extensionOf(path));
}
