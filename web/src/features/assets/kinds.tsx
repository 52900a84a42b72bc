/** The kinds of asset. Pages, forms and texts are shared; what differs is declared here, so a new kind is one more entry. */
import { CodeOutlined, DatabaseOutlined, DeploymentUnitOutlined, InboxOutlined } from "@ant-design/icons";
import type { ReactNode } from "react";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type AssetKind = Schemas["AssetView"]["kind"];
export type KindSegment = Schemas["KindSegment"];
export type Scene = Schemas["Scene"];

/** Kinds whose versions are files and nothing else; datasets and packages have pages of their own. */
export type PlainKind = Exclude<AssetKind, "dataset" | "package">;

export interface KindDeclaration<K extends AssetKind = AssetKind> {
  kind: K;
  /** In addresses, of pages and of the API alike. */
  segment: KindSegment;
  room: "development" | "models" | "data" | "serving";
  icon: ReactNode;
  /** Versions have a format, metrics and a signature. */
  hasModelFacts: boolean;
}

export const KINDS: { [K in AssetKind]: KindDeclaration<K> } = {
  dataset: { kind: "dataset", segment: "datasets", room: "data", icon: <DatabaseOutlined aria-hidden />, hasModelFacts: false },
  algorithm: { kind: "algorithm", segment: "algorithms", room: "development", icon: <CodeOutlined aria-hidden />, hasModelFacts: false },
  model: { kind: "model", segment: "models", room: "models", icon: <DeploymentUnitOutlined aria-hidden />, hasModelFacts: true },
  package: { kind: "package", segment: "packages", room: "serving", icon: <InboxOutlined aria-hidden />, hasModelFacts: false },
};

export function isAssetKind(value: string): value is AssetKind {
  return value in KINDS;
}

/** Application scenes an asset can be for, in the order they are offered. */
export const SCENES: Scene[] = [
  "image-classification",
  "object-detection",
  "segmentation",
  "keypoints",
  "ocr",
  "text-classification",
  "audio-classification",
  "audio-transcription",
  "tabular",
  "video",
  "other",
];
