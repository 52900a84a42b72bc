/** Short names for the wire types of datasets. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type DatasetView = Schemas["DatasetView"];
export type DatasetCreate = Schemas["DatasetCreate"];
export type DatasetVersionView = Schemas["DatasetVersionView"];
export type DataType = Schemas["DataType"];
export type AnnotationType = Schemas["AnnotationType"];
export type ItemState = Schemas["ItemState"];
export type ItemView = Schemas["ItemView"];
export type ItemFilter = Schemas["ItemFilter"];
export type LabelView = Schemas["LabelView"];
/** Of a version, by their numbers. */
export type Labels = ReadonlyMap<number, LabelView>;
export type LabelPut = Schemas["LabelPut"];
export type LabelPatch = Schemas["LabelPatch"];
export type LabelAttribute = Schemas["LabelAttribute-Output"];
export type Skeleton = Schemas["Skeleton"];
export type RevisionView = Schemas["RevisionView"];
export type StatisticsView = Schemas["StatisticsView"];

export interface DatasetRef {
  project: string;
  dataset: string;
}

export interface DatasetVersionRef extends DatasetRef {
  version: number;
}

export type ImportView = Schemas["ImportView"];
export type ImportCreate = Schemas["ImportCreate"];
export type ExportView = Schemas["ExportView"];
export type ExportCreate = Schemas["ExportCreate"];
export type NoteView = Schemas["NoteView"];
export type FormatView = Schemas["FormatView"];
export type ItemChange = Schemas["ItemChange"];
export type PreprocessView = Schemas["PreprocessView"];
export type PreviewItem = Schemas["PreviewItem"];
export type PreviewPicture = Schemas["PreviewPicture"];
export type Steps = Schemas["Steps"];
export type ScanView = Schemas["ScanView"];
export type ScanCreate = Schemas["ScanCreate"];
export type FoundItem = Schemas["FoundItem"];
export type SetAside = Schemas["SetAside"];

/** Of a work, as it is pushed: what all kinds have in common. */
export type WorkNews = Pick<ImportView, "id" | "stage" | "done" | "total" | "progress" | "counts" | "notes" | "dataset" | "version"> & { kind: "import" | "export" | "preprocess" | "scan" | "auto"; state: string };

/** Of a version, as it is pushed. */
export type VersionNews = { version_id: string; dataset: string; number: number } & Pick<DatasetVersionView, "work" | "item_revision" | "items" | "annotations" | "states" | "done" | "progress">;
