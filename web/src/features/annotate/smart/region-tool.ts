/** Click-to-segment and box-to-fit on the visible picture, without a model. */
import type { MaskWindow } from "../model/rle";
import type { SmartRequest, SmartTool } from "./smart-tool";

interface Answer {
  number: number;
  found: MaskWindow | null;
}

export class RegionTool implements SmartTool {
  readonly id = "region";
  readonly takes = { points: true, box: true };
  private worker: Worker | null = null;
  private count = 0;
  private readonly waiting = new Map<number, { resolve: (found: MaskWindow | null) => void; reject: (error: Error) => void }>();

  segment(request: SmartRequest): Promise<MaskWindow | null> {
    const worker = (this.worker ??= this.start());
    const number = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      worker.postMessage({ number, request });
    });
  }

  close(): void {
    this.worker?.terminate();
    this.worker = null;
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.waiting.get(data.number)?.resolve(data.found);
      this.waiting.delete(data.number);
    };
    worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message));
      this.waiting.clear();
    };
    return worker;
  }
}
