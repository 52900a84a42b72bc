/** Taking in what the server pushes about services and packages: they are read again, at most once a second. */
import type { QueryClient } from "@tanstack/react-query";
import { workloadsKey } from "@/features/workloads/queries";

const PAUSE_MS = 1_000;
let timer: number | undefined;

/** Both are kept beside the lists of workloads, whose moves change them, too. */
export function servingChanged(client: QueryClient): void {
  if (timer !== undefined) return;
  timer = window.setTimeout(() => {
    timer = undefined;
    for (const kind of ["services", "packages"]) void client.invalidateQueries({ queryKey: [...workloadsKey, "lists", kind] });
  }, PAUSE_MS);
}
