import { createContext, useContext, useSyncExternalStore } from "react";
import type { OutboxStatus } from "../journal/outbox";
import type { ListState } from "./item-list";
import type { Session, SessionState } from "./session";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession needs a SessionContext above it");
  return session;
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
