/** Which pages of this browser are alive, so that only what a dead one left behind is adopted. */
export interface Pages {
  /** Those of the clients that answer. */
  alive(clients: string[]): Promise<Set<string>>;
  close(): void;
}

/** A living page answers within a few milliseconds, also in the background. */
const PATIENCE_MS = 150;

export function openPages(client: string): Pages {
  const channel = new BroadcastChannel("tidemill-annotate");
  const heard = new Set<string>();
  channel.onmessage = ({ data }: MessageEvent<{ ask?: string[]; here?: string }>) => {
    if (data.ask?.includes(client)) channel.postMessage({ here: client });
    if (data.here) heard.add(data.here);
  };
  return {
    async alive(clients) {
      heard.clear();
      channel.postMessage({ ask: clients });
      await new Promise((resolve) => window.setTimeout(resolve, PATIENCE_MS));
      return new Set(heard);
    },
    close: () => channel.close(),
  };
}
