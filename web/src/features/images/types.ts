/** Shapes of images on the wire. */
export type ImageKind = "oci" | "python";
export type ImageState = "ready" | "building" | "failed" | "not_made";

export interface ImageView {
  id: string;
  project: string;
  name: string;
  version: string;
  kind: ImageKind;
  size_bytes: number;
  digest: string;
  description: string;
  specs: string[];
  state: ImageState;
  is_builtin: boolean;
  created_by: string;
  created_at: string;
  pull_command: string | null;
  workload_id: string | null;
  problem: string | null;
}

export interface ImageDetail extends ImageView {
  requirements: string[];
  packages: { name: string; version: string; size_bytes: number }[];
  layers: { digest: string; size_bytes: number; command: string }[];
  tags: { id: string; version: string }[];
  used_by: { kind: string; id: string; name: string }[];
}

export interface PythonImageBody {
  name: string;
  version: string;
  requirements: string[];
  description: string;
  specs: string[];
}
