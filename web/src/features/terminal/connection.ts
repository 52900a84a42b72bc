/**
 * One shell on a node, over a websocket: bytes both ways, and the size of the window as `{"resize":[columns, rows]}`.
 *
 * A line that breaks is laid again by itself, later each time; the shell at its other end is then a new one, because the old
 * one went with the line. A shell that ended by itself (`exit`) is not started again unasked.
 */
export type LinkState =
  | { kind: "connecting" }
  | { kind: "open" }
  /** Broken; tried again in so many seconds. */
  | { kind: "waiting"; seconds: number }
  /** The shell ended, or the server says that there is nothing to connect to. */
  | { kind: "over"; refusal: number | null; reason: string };

export interface Link {
  send(text: string): void;
  resize(columns: number, rows: number): void;
  /** Tries now: after the end, or instead of waiting. */
  again(): void;
  close(): void;
}

export interface LinkOptions {
  address: string;
  onBytes: (bytes: Uint8Array) => void;
  onState: (state: LinkState) => void;
  makeSocket?: (address: string) => WebSocket;
}

const NORMAL = 1000;
/** Own codes of the server (4000–4999) and “policy violation” are answers, not accidents. */
const REFUSED = 1008;
const OWN_CODES = 4000;
const DELAYS_S = [1, 2, 4, 8, 15];

export function connect({ address, onBytes, onState, makeSocket = (url) => new WebSocket(url) }: LinkOptions): Link {
  const encoder = new TextEncoder();
  let socket: WebSocket | null = null;
  let timer: number | undefined;
  let failures = 0;
  let size: [number, number] | null = null;
  let isClosed = false;

  open();
  return {
    send: (text) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(encoder.encode(text));
    },
    resize: (columns, rows) => {
      size = [columns, rows];
      tellSize();
    },
    again: () => {
      failures = 0;
      open();
    },
    close: () => {
      isClosed = true;
      leave();
    },
  };

  function open(): void {
    leave();
    onState({ kind: "connecting" });
    const opened = makeSocket(address);
    socket = opened;
    opened.binaryType = "arraybuffer";
    opened.onopen = () => {
      failures = 0;
      onState({ kind: "open" });
      tellSize();
    };
    opened.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => onBytes(typeof data === "string" ? encoder.encode(data) : new Uint8Array(data));
    opened.onclose = ({ code, reason }) => {
      if (socket === opened && !isClosed) ended(code, reason);
    };
  }

  function ended(code: number, reason: string): void {
    socket = null;
    const isRefused = code === REFUSED || code >= OWN_CODES;
    if (code === NORMAL || isRefused) onState({ kind: "over", refusal: isRefused ? code : null, reason });
    else wait();
  }

  function wait(): void {
    const seconds = DELAYS_S[Math.min(failures, DELAYS_S.length - 1)] ?? 1;
    failures += 1;
    onState({ kind: "waiting", seconds });
    timer = window.setTimeout(open, seconds * 1000);
  }

  function leave(): void {
    window.clearTimeout(timer);
    const old = socket;
    socket = null;
    old?.close();
  }

  function tellSize(): void {
    if (size && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ resize: size }));
  }
}

/** The address of a shell on a node of a workload, on the web application's own origin. */
export function terminalAddress(project: string, workload: string, node: number, location: Location = window.location): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/api/v1/projects/${encodeURIComponent(project)}/workloads/${encodeURIComponent(workload)}/terminal?node=${node}`;
}
