import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ApiFailure, NetworkFailure } from "@/api/failure";
import { UnreadableFile } from "@/features/files/upload/hash-pool";
import type { HashFile } from "@/features/files/upload/hash-pool";
import { LARGE_BYTES } from "@/features/files/upload/plan";
import { UploadRun } from "@/features/files/upload/run";
import type { OpenUpload, UploadWire } from "@/features/files/upload/wire";

const CHUNK = 1024 * 1024;
const textOf = (blob: Blob) => (blob as unknown as { content: string }).content;

/** As much of a file as the engine uses. jsdom's own are slow at these sizes and cannot be read back. */
function fileOf(content: string): Blob {
  const file = { content, size: content.length, slice: (from: number, to: number) => fileOf(content.slice(from, to)), arrayBuffer: () => Promise.resolve(new ArrayBuffer(0)) };
  return file as unknown as Blob;
}

const hash: HashFile = (file) => Promise.resolve(createHash("sha256").update(textOf(file)).digest("hex"));
const refusal = (status: number, code: string) => new ApiFailure(status, { code, message: code });

/** A server in memory that keeps the same promises as the real one. */
class FakeServer implements UploadWire {
  blobs = new Map<string, string>();
  tree = new Map<string, string>();
  folders: string[] = [];
  uploads = new Map<string, { sha256: string; size: number; got: string }>();
  batches: number[] = [];
  sentBytes = 0;
  dropped: string[] = [];
  /** Called before each request; throws to break it. */
  trouble: (what: string) => void = () => undefined;

  findMissing = (contents: { sha256: string }[]) => this.answer("missing", () => new Set(contents.map(({ sha256 }) => sha256).filter((sha256) => !this.blobs.has(sha256))));

  sendBatch: UploadWire["sendBatch"] = (files) =>
    this.answer("batch", () => {
      for (const { sha256, file } of files) {
        if (createHash("sha256").update(textOf(file)).digest("hex") !== sha256) throw refusal(422, "checksum_mismatch");
      }
      this.batches.push(files.length);
      for (const { sha256, file } of files) this.store(sha256, textOf(file));
    });

  openUpload: UploadWire["openUpload"] = ({ sha256, size_bytes }) =>
    this.answer("open", () => {
      if (!this.uploads.has(sha256)) this.uploads.set(sha256, { sha256, size: size_bytes, got: "" });
      return this.view(sha256);
    });

  readUpload = (id: string) => this.answer("read", () => this.view(id));

  sendChunk: UploadWire["sendChunk"] = (id, offset, body) =>
    this.answer("chunk", () => {
      const upload = this.find(id);
      if (offset !== upload.got.length) throw refusal(409, "wrong_offset");
      upload.got += textOf(body);
      this.sentBytes += textOf(body).length;
      if (upload.got.length === upload.size) this.store(upload.sha256, upload.got, 0);
      return this.view(id);
    });

  dropUpload = (id: string) =>
    this.answer("drop", () => {
      this.dropped.push(id);
    });

  attach: UploadWire["attach"] = (entries) =>
    this.answer("attach", () => {
      if (entries.some(({ sha256 }) => !this.blobs.has(sha256))) throw refusal(422, "blob_missing");
      for (const { path, sha256 } of entries) this.tree.set(path, this.blobs.get(sha256) ?? "");
    });

  makeFolder = (path: string) =>
    this.answer("folder", () => {
      this.folders.push(path);
    });

  private async answer<T>(what: string, work: () => T): Promise<T> {
    await Promise.resolve();
    this.trouble(what);
    return work();
  }

  private store(sha256: string, content: string, bytes = content.length) {
    this.blobs.set(sha256, content);
    this.sentBytes += bytes;
  }

  private find(id: string) {
    const upload = this.uploads.get(id);
    if (!upload) throw refusal(404, "upload_not_found");
    return upload;
  }

  private view(id: string): OpenUpload {
    const upload = this.find(id);
    return { id, state: upload.got.length === upload.size ? "complete" : "open", offset: upload.got.length, chunk_bytes: CHUNK };
  }
}

const large = (letter: string) => letter.repeat(LARGE_BYTES + CHUNK / 2);

function makeRun(server: FakeServer, files: Record<string, string>, extra: { hash?: HashFile; folders?: string[]; wait?: () => Promise<void> } = {}) {
  const list = Object.entries(files).map(([path, content]) => ({ path, file: fileOf(content) }));
  return new UploadRun(list, extra.folders ?? [], {
    wire: server,
    hash: extra.hash ?? hash,
    onChange: () => undefined,
    onAttached: () => undefined,
    wait: extra.wait ?? (() => Promise.resolve()),
  });
}

describe("an upload", () => {
  it("brings small and large files and empty folders into the draft", async () => {
    const server = new FakeServer();
    const run = makeRun(server, { "a.txt": "a", "empty": "", "big.bin": large("b") }, { folders: ["nothing/here"] });
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "finished", attached: 3, files: 3, failed: [] });
    expect(server.tree.get("a.txt")).toBe("a");
    expect(server.tree.get("empty")).toBe("");
    expect(server.tree.get("big.bin")).toHaveLength(LARGE_BYTES + CHUNK / 2);
    expect(server.folders).toEqual(["nothing/here"]);
    expect(run.snapshot().doneBytes).toBe(run.snapshot().bytes);
  });

  it("sends nothing that the server has", async () => {
    const server = new FakeServer();
    await makeRun(server, { a: "same", b: "same", c: large("x") }).start();
    const sent = server.sentBytes;
    await makeRun(server, { d: "same", e: large("x") }).start();
    expect(server.sentBytes).toBe(sent);
    expect([...server.tree.keys()]).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("takes 2,500 files in windows", async () => {
    const server = new FakeServer();
    const run = makeRun(server, Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`f/${index}`, `content ${index}`])));
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "finished", attached: 2500 });
    expect(server.tree.size).toBe(2500);
    expect(Math.max(...server.batches)).toBeLessThanOrEqual(500);
  });

  it("waits for a server that is away and goes on where it was", async () => {
    const server = new FakeServer();
    let broken = 0;
    server.trouble = (what) => {
      if (what === "chunk" && broken < 3 && server.sentBytes >= CHUNK) {
        broken += 1;
        throw new NetworkFailure("away");
      }
    };
    const waits: number[] = [];
    const run = makeRun(server, { big: large("z") }, { wait: () => Promise.resolve(void waits.push(1)) });
    await run.start();
    expect(run.snapshot().state).toBe("finished");
    expect(waits).toHaveLength(3);
    expect(server.sentBytes).toBe(LARGE_BYTES + CHUNK / 2);
  });

  it("finds its place again when a chunk arrived but the answer was lost", async () => {
    const server = new FakeServer();
    const send = server.sendChunk;
    let lost = false;
    server.sendChunk = async (...given) => {
      const answer = await send(...given);
      if (lost) return answer;
      lost = true;
      throw new NetworkFailure("lost");
    };
    const run = makeRun(server, { big: large("q") });
    await run.start();
    expect(run.snapshot().state).toBe("finished");
    expect(server.sentBytes).toBe(LARGE_BYTES + CHUNK / 2);
  });

  it("continues what another tab or an earlier visit began", async () => {
    const server = new FakeServer();
    const content = large("r");
    const id = createHash("sha256").update(content).digest("hex");
    server.uploads.set(id, { sha256: id, size: content.length, got: content.slice(0, 3 * CHUNK) });
    await makeRun(server, { big: content }).start();
    expect(server.sentBytes).toBe(content.length - 3 * CHUNK);
    expect(server.tree.has("big")).toBe(true);
  });

  it("names the files that failed and brings the others", async () => {
    const server = new FakeServer();
    const unreadable = fileOf("gone");
    const wrongHash: HashFile = (file, ...rest) => {
      if (textOf(file) === "gone") return Promise.reject(new UnreadableFile("moved"));
      return textOf(file) === "changing" ? Promise.resolve("0".repeat(64)) : hash(file, ...rest);
    };
    const run = makeRun(server, { good: "1", "a\\b": "2", changing: "changing", gone: textOf(unreadable), fine: "3" }, { hash: wrongHash });
    await run.start();
    expect(run.snapshot().state).toBe("finished");
    expect([...server.tree.keys()].sort()).toEqual(["fine", "good"]);
    expect(Object.fromEntries(run.snapshot().failed.map((item) => [item.path, item.problem?.kind]))).toEqual({ "a\\b": "path", changing: "changed", gone: "unreadable" });
  });

  it("tries failed files again when asked", async () => {
    const server = new FakeServer();
    let isReadable = false;
    const run = makeRun(server, { a: "1" }, { hash: (file, ...rest) => (isReadable ? hash(file, ...rest) : Promise.reject(new UnreadableFile("busy"))) });
    await run.start();
    expect(run.snapshot().failed).toHaveLength(1);
    isReadable = true;
    run.retryFailed();
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "finished", attached: 1, failed: [] });
  });

  it("stops with the server's reason when it is refused, and can be started again", async () => {
    const server = new FakeServer();
    let isFull = true;
    server.trouble = (what) => {
      if (isFull && what === "batch") throw refusal(413, "storage_limit");
    };
    const run = makeRun(server, { a: "1" });
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "failed", attached: 0 });
    expect(run.snapshot().error).toMatchObject({ code: "storage_limit" });
    isFull = false;
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "finished", attached: 1 });
  });

  it("is paused and goes on without sending anything twice", async () => {
    const server = new FakeServer();
    const run = makeRun(server, { big: large("p") });
    server.trouble = (what) => {
      if (what === "chunk" && server.sentBytes === 2 * CHUNK) run.pause();
    };
    const started = run.start();
    await started;
    expect(run.snapshot().state).toBe("paused");
    expect(server.tree.has("big")).toBe(false);
    server.trouble = () => undefined;
    await run.start();
    expect(run.snapshot().state).toBe("finished");
    expect(server.sentBytes).toBe(LARGE_BYTES + CHUNK / 2);
  });

  it("frees what was half sent when it is cancelled", async () => {
    const server = new FakeServer();
    const run = makeRun(server, { small: "s", big: large("c") });
    let cancelled: Promise<void> | undefined;
    server.trouble = (what) => {
      if (what === "chunk" && server.sentBytes > CHUNK) cancelled ??= run.cancel();
    };
    await run.start();
    await cancelled;
    expect(run.snapshot().state).toBe("cancelled");
    expect(server.dropped).toHaveLength(1);
    expect(server.tree.size).toBe(0);
  });

  it("sends content again that the server gave up before it was attached", async () => {
    const server = new FakeServer();
    const attach = server.attach;
    let isFirst = true;
    server.attach = (...given) => {
      if (isFirst) server.blobs.clear();
      isFirst = false;
      return attach(...given);
    };
    const run = makeRun(server, { a: "1", b: "2" });
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: "finished", attached: 2 });
  });
});
