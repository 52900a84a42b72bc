/** A well-known model that can be installed. */
export interface CatalogueEntry {
  name: string;
  title: string;
  description: string;
  task: string;
  licence: string;
  licence_url: string | null;
  origin: string | null;
  size_bytes: number;
  labels: string[];
  adapter: string;
  can_start_training: boolean;
  files: { path: string; size_bytes: number; sha256: string }[];
  /** A Python package it comes with. */
  package: string | null;
  state: EntryState;
  /** `public/name@1` once it is installed. */
  model: string | null;
  job: string | null;
  /** Where an installation takes it from. */
  available: "folder" | "download" | "package" | "unavailable";
}

export type EntryState = "installed" | "installing" | "not_installed";
