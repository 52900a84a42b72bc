/** What a page keeps in its address (search, order, what is open), so that a link or the back button restores it. */
import { useCallback } from "react";
import { useSearchParams } from "react-router";

/** A key's new value, or values; null or nothing takes it away. */
export type AddressChanges = Record<string, string | string[] | null>;

export function useAddress(): [URLSearchParams, (changes: AddressChanges) => void] {
  const [params, setParams] = useSearchParams();
  const change = useCallback(
    // At once, not when React finds the time: the next change must not begin with an address of before.
    (changes: AddressChanges) => setParams((old) => withChanges(old, changes), { replace: true, flushSync: true }),
    [setParams],
  );
  return [params, change];
}

export function withChanges(current: URLSearchParams, changes: AddressChanges): URLSearchParams {
  const next = new URLSearchParams(current);
  for (const [key, value] of Object.entries(changes)) {
    next.delete(key);
    for (const one of [value ?? []].flat()) if (one) next.append(key, one);
  }
  return next;
}
