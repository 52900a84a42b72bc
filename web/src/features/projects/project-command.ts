import { shellQuote } from "@/lib/shell";
import type { ProjectValues } from "./project-values";

/** The command that makes the same project. */
export function projectCommand({ name, description, storage_limit_bytes, quota }: ProjectValues): string {
  const words = ["tidemill project create", shellQuote(name.trim() || "NAME")];
  if (description) words.push("--description", shellQuote(description));
  if (storage_limit_bytes) words.push("--storage-limit", sizeWord(storage_limit_bytes));
  if (quota.cpu) words.push("--cpu", String(quota.cpu));
  if (quota.memory_bytes) words.push("--memory", sizeWord(quota.memory_bytes));
  for (const one of quota.accelerators ?? []) {
    if (one?.name) words.push("--accelerator", shellQuote(`${one.name}=${one.count}`));
  }
  return words.join(" ");
}

const GIB = 1024 ** 3;

/** As people write it where that is exact; otherwise the bytes. */
function sizeWord(bytes: number): string {
  return bytes % GIB === 0 ? `${bytes / GIB}GiB` : String(bytes);
}
