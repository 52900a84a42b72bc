/** A compute spec: what one node of a workload gets. */
export interface SpecView {
  name: string;
  cpus: number;
  memory_bytes: number;
  accelerator: string | null;
  accelerators: number;
  fabrics: string[];
  description: string;
  is_enabled: boolean;
  /** Some machine is large enough for it. */
  fits: boolean;
  position: number;
}

export type SpecBody = Omit<SpecView, "fits" | "position"> & { position?: number };
