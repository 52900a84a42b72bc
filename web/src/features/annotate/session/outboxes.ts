/** One outbox a user and version for as long as the page lives, also after the workbench was left for another room. */
import { newId } from "../model/ids";
import { Outbox } from "../journal/outbox";
import type { OutboxParts } from "../journal/outbox";
import { openPages } from "../journal/pages";
import { openJournal } from "../journal/store";

export type Hooks = Pick<OutboxParts, "send" | "onStored" | "onMerged">;

interface Living {
  outbox: Outbox;
  hooks: Hooks;
}

const living = new Map<string, Promise<Living>>();

export async function takeOutbox(user: string, version: string, hooks: Hooks): Promise<Outbox> {
  const key = `${user}|${version}`;
  const under = living.get(key) ?? start(user, version, hooks);
  living.set(key, under);
  const found = await under;
  // Whoever works with it now is told; the one before has gone.
  Object.assign(found.hooks, hooks);
  return found.outbox;
}

/** The workbench is left; what waits is sent all the same. */
export function leaveOutbox(user: string, version: string): void {
  void living.get(`${user}|${version}`)?.then(({ outbox, hooks }) => {
    hooks.onStored = hooks.onMerged = undefined;
    outbox.flush();
  });
}

async function start(user: string, version: string, given: Hooks): Promise<Living> {
  const client = newId(16);
  const hooks: Hooks = { ...given };
  const outbox = new Outbox({
    user,
    version,
    client,
    store: await openJournal(),
    pages: openPages(client),
    send: (seq, entry, base) => hooks.send(seq, entry, base),
    onStored: (...args) => hooks.onStored?.(...args),
    onMerged: (...args) => hooks.onMerged?.(...args),
  });
  window.addEventListener("online", () => outbox.flush());
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && outbox.flush());
  window.addEventListener("beforeunload", (event) => {
    const { waiting, isProtected } = outbox.getStatus();
    if (waiting > 0 && !isProtected) event.preventDefault();
  });
  await outbox.start();
  return { outbox, hooks };
}
