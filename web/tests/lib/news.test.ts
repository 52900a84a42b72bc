import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { catchUp, takeNews } from "@/lib/news";

interface Thing {
  state: string;
}

/** A server whose answers wait until they are let go, in the order in which they were asked for. */
function slowServer() {
  const waiting: ((thing: Thing) => void)[] = [];
  return { ask: () => new Promise<Thing>((answer) => waiting.push(answer)), waiting };
}

const queryKey = ["things", "mine"];

describe("news from the server", () => {
  it("are not undone by an answer that was under way and is older", async () => {
    const client = new QueryClient();
    const server = slowServer();
    const seen = new QueryObserver<Thing>(client, { queryKey, queryFn: server.ask, initialData: { state: "waiting" } });
    const leave = seen.subscribe(() => undefined);
    const late = server.waiting[0];

    takeNews<Thing>(client, { queryKey }, () => ({ state: "done" }));
    late?.({ state: "waiting" });
    await Promise.resolve();
    expect(seen.getCurrentResult().data?.state).toBe("done");
    expect(server.waiting).toHaveLength(2);
    server.waiting[1]?.({ state: "done" });
    await new Promise((later) => setTimeout(later, 0));
    expect(seen.getCurrentResult().data?.state).toBe("done");
    leave();
  });

  it("change only what is held, and ask for nothing that is at rest", () => {
    const client = new QueryClient();
    client.setQueryData<Thing>(queryKey, { state: "waiting" });
    takeNews<Thing>(client, { queryKey }, (old) => ({ state: `${old.state}, done` }));
    takeNews<Thing>(client, { queryKey: ["things", "other"] }, () => ({ state: "done" }));
    expect(client.getQueryData(queryKey)).toEqual({ state: "waiting, done" });
    expect(client.getQueryData(["things", "other"])).toBeUndefined();
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(false);
  });

  it("that were told to nobody are caught up with", async () => {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    const server = slowServer();
    const seen = new QueryObserver<Thing>(client, { queryKey, queryFn: server.ask });
    const leave = seen.subscribe(() => undefined);
    catchUp(client, [["things"]]);
    expect(server.waiting).toHaveLength(1);
    server.waiting[0]?.({ state: "waiting" });
    await new Promise((later) => setTimeout(later, 0));
    catchUp(client, [["things"]]);
    expect(server.waiting).toHaveLength(2);
    leave();
  });
});
