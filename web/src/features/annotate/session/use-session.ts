import { createContext, useContext, useSyncExternalStore } from "react";
import type { OutboxStatus } from "../journal/outbox";
import type { ListState } from "./item-list";
import type { VersionPlace } from "./api";
import type { Session, SessionState } from "./session";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession needs a SessionContext above it");
  return session;
}

export const PlaceContext = createContext<VersionPlace | null>(null);

/** Which version the workbench is open at. */
export function usePlace(): VersionPlace {
  const place = useContext(PlaceContext);
  if (!place) throw new Error("usePlace needs a PlaceContext above it");
  return place;
}

/** One part of what the session knows; it must be the same object as long as it says the same. */
export function useSessionState<T>(choose: (state: SessionState) => T): T {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => choose(session.get()));
}

export function useItemList(): ListState {
  const { list } = useSession();
  return useSyncExternalStore(list.subscribe, list.get);
}

export function useOutboxStatus(): OutboxStatus {
  const { outbox } = useSession();
  return useSyncExternalStore(outbox.subscribe, outbox.getStatus);
}
