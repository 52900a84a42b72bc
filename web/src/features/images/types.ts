/** Shapes of images on the wire. */
import type { JobView } from "@/api/types";

export type ImageKind = "oci" | "python";
export type ImageState = "ready" | "building" | "failed" | "not_made";

export interface ImageView {
  id: string;
  project: string;
  name: string;
  version: string;
  /** `name:version`, as tasks and environments ask for it. */
  reference: string;
  kind: ImageKind;
  state: ImageState;
  size_bytes: number;
  digest: string | null;
  description: string;
  specs: string[];
  builtin: boolean;
  requirements: string[];
  /** `name==version` of each package of a Python environment. */
  packages: string[];
  error: JobView["error"];
  /** The workload that builds it, or built it last. */
  workload_id: string | null;
  pull_command: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
}

export interface NewImage {
  name: string;
  version: string;
  description: string;
}
