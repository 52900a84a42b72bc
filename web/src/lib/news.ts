/** Taking in what the server pushes, beside what was asked for. */
import type { QueryClient, QueryFilters } from "@tanstack/react-query";

/** Changes what is held by the news. An answer still under way may be older than they are: it is dropped and asked for again. */
export function takeNews<T>(client: QueryClient, held: QueryFilters, change: (old: T) => T): void {
  client.setQueriesData<T>(held, (old) => (old === undefined ? undefined : change(old)));
  void client.invalidateQueries({ ...held, fetchStatus: "fetching" });
}

/** Reads again what was read before the server began to push: nothing was told about changes until then. */
export function catchUp(client: QueryClient, keys: readonly (readonly unknown[])[]): void {
  for (const queryKey of keys) void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
