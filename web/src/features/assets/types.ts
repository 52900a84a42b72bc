import type { AssetKind, Scene } from "./kinds";

export interface AssetView {
  id: string; kind: AssetKind; name: string; project: string; is_public: boolean; scene: Scene; description: string;
  versions_count: number; latest_version: number | null; size_bytes: number; created_at: string; created_by: string; updated_at: string;
  permissions: ("read" | "write" | "delete")[];
}
export interface Tensor { name: string; type: string; shape?: (number | string | null)[] | null }
export interface Signature { inputs: Tensor[]; outputs: Tensor[] }
export interface VersionView {
  id: string; asset_id: string; asset: string; kind: AssetKind; project: string; number: number; name: string;
  state: "draft" | "committed"; note: string; digest: string | null; files: number; size_bytes: number; revision: number;
  origin: "upload" | "git" | "copy" | "new" | "run"; format: string | null; metrics: Record<string, number>; signature: Signature | null;
  created_at: string; created_by: string; committed_at: string | null; can_edit: boolean;
}
export interface ReferenceView { kind: string; id: string | null; name: string | null; version: number | null; project: string | null; relation: Relation; link: string | null }
export type Relation = "copied_from" | "imported_from" | "made_from" | "trained_on";
export interface LineageNode { id: string; kind: string; name: string; version: string; project: string | null; label: string; exists: boolean; created_at: string | null; created_by: string | null; is_self: boolean; link: string | null }
export interface LineageEdge { from: string; to: string; relation: Relation }
export interface LineageView { nodes: LineageNode[]; edges: LineageEdge[]; truncated: boolean }
export interface EntryView { path: string; name: string; type: "file" | "dir"; size_bytes: number; digest?: string | null; files?: number | null; media_type?: string | null; is_text?: boolean | null; updated_at?: string | null }
export interface ChangeView { path: string; change: "added" | "removed" | "changed"; size_bytes: number | null; old_size_bytes: number | null }
