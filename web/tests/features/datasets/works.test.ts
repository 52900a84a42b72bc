// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { NO_STEPS, stepsOf, stepsProblem } from "@/features/datasets/cleaning/step-values";
import { exportOptions, suggestedFormat } from "@/features/datasets/exports/export-values";
import { importBody, newImport, parseAddresses } from "@/features/datasets/imports/import-values";
import type { ImportValues, SourceValues } from "@/features/datasets/imports/import-values";
import { datasetVersionQuery } from "@/features/datasets/queries";
import { exportCommand, importCommand } from "@/features/datasets/works/commands";
import { isPattern } from "@/features/datasets/works/format-options";
import { takeVersion, takeWork, worksKey } from "@/features/datasets/works/news";
import { lookInterval } from "@/features/datasets/works/queries";

const wish = (from: ImportValues["from"], source: SourceValues = {}, more: Partial<ImportValues> = {}): ImportValues => ({ ...newImport("image"), from, source: { ...newImport("image").source, ...source }, ...more });

describe("an import", () => {
  it("names the files that were sent", () => {
    const body = importBody(wish("upload", {}, { folder: " day 1 ", dryRun: true }), [{ path: "a/b.jpg", sha256: "f".repeat(64), size_bytes: 3 }]);
    expect(body).toMatchObject({ source: { type: "upload", files: [{ name: "a/b.jpg", size_bytes: 3 }] }, folder: "day 1", dry_run: true, format: null, video: null });
  });

  it("takes only the fields of its own source, and leaves out what is empty", () => {
    const source = { path: "/data", bucket: "b", prefix: "", endpoint: " ", host: "db", database: "d", user: "u", query: "SELECT 1", columns: { label: "mood", path: " " } };
    expect(importBody(wish("server", source)).source).toEqual({ type: "server", path: "/data" });
    expect(importBody(wish("s3", source)).source).toEqual({ type: "s3", bucket: "b", prefix: "", endpoint: null, region: null, access_key: null, secret_key: null });
    expect(importBody(wish("database", source)).source).toMatchObject({ type: "postgresql", host: "db", port: null, columns: { label: "mood" } });
  });

  it("knows a public dataset and one of the project, the newest version and a certain one", () => {
    expect(importBody(wish("dataset", { dataset: "public/cats@3" })).source).toMatchObject({ project: "public", dataset: "cats", version: "3" });
    expect(importBody(wish("dataset", { dataset: "cats", with_annotations: false })).source).toMatchObject({ project: null, version: "latest", with_annotations: false });
  });

  it("cuts films one way only", () => {
    expect(importBody(wish("server", {}, { frames: "every_s", framesValue: 2, maxFrames: 10 })).video).toEqual({ every_s: 2, max_frames: 10 });
    expect(importBody(wish("server", {}, { frames: "whole", framesValue: 2 })).video).toBeNull();
  });

  it("sends the options of its own format, and of those what was filled in", () => {
    const options = { encoding: "gb18030", header: "no", label_column: " mood ", text_column: "  ", ignore: ["0", "255"], pattern: "^(a)" };
    expect(importBody(wish("server", {}, { format: "table", options })).options).toEqual({ encoding: "gb18030", header: false, label_column: "mood" });
    expect(importBody(wish("server", {}, { format: "masks", options })).options).toEqual({ ignore: [0, 255] });
    expect(importBody(wish("server", {}, { format: null, options })).options).toEqual({});
  });

  it("finds the class of a file name only with a group", () => {
    expect(["^([a-z]+)_", "(?P<label>\\d)", "(?i)^(a)"].map(isPattern)).toEqual([true, true, true]);
    expect(["^abc", "([", ""].map(isPattern)).toEqual([false, false, false]);
  });

  it("is the same as a command, which never holds a secret", () => {
    const of = { project: "tides", dataset: "boats", version: 3 };
    const picked = { files: [{ path: "day 1/a.jpg" }, { path: "day 1/b.jpg" }], skipped: [] } as unknown as SourceValues["files"];
    expect(importCommand(of, wish("upload", { files: picked }, { dryRun: true }))).toBe("tidemill dataset import boats@3 'day 1' --dry-run --wait --project tides");
    expect(importCommand(of, wish("server", { path: "/mnt/a b" }, { format: "yolo", options: { task: "segment" }, existing: "merge", folder: "x" }))).toBe(
      `tidemill dataset import boats@3 --server-path '/mnt/a b' --format yolo --options '{"task":"segment"}' --existing merge --folder x --wait --project tides`,
    );
    expect(importCommand(of, wish("dataset", { dataset: "public/cats@2", with_annotations: false }, { frames: "every_s", framesValue: 2, maxFrames: 9 }))).toBe(
      "tidemill dataset import boats@3 --dataset public/cats@2 --without-annotations --every 2 --max-frames 9 --wait --project tides",
    );
    const database = importCommand(of, wish("database", { host: "db", database: "d", user: "u", password: "swordfish", query: "SELECT 1", columns: { label: "mood" } }));
    expect(database).toBe("TIDEMILL_DATABASE_PASSWORD=… tidemill dataset import boats@3 --database postgresql://u@db/d --query 'SELECT 1' --column label=mood --wait --project tides");
    expect(importCommand(of, wish("s3", { bucket: "b", prefix: "p/", access_key: "AKIA", secret_key: "swordfish" }))).toBe("AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… tidemill dataset import boats@3 --s3 b/p/ --wait --project tides");
  });

  it("reads addresses with and without labels", () => {
    expect(parseAddresses("https://a/1.jpg cat\n# not this\n\nhttps://a/2.jpg\thot dog\nhttps://a/3.jpg,dog\nhttps://a/4.jpg")).toEqual([
      { url: "https://a/1.jpg", label: "cat" },
      { url: "https://a/2.jpg", label: "hot dog" },
      { url: "https://a/3.jpg", label: "dog" },
      { url: "https://a/4.jpg" },
    ]);
  });
});

describe("news", () => {
  const ref = { project: "tides", dataset: "boats", version: 3 };
  const news = { id: "w1", kind: "import" as const, state: "running", stage: "reading", done: 7, total: 10, progress: 70, counts: { added: 7 }, notes: 1, dataset: "boats", version: 3 };
  const list = [...worksKey(ref, "imports"), "list"];
  const client = (works: { id: string; state: string }[], kind: "imports" | "exports" = "imports") => {
    const made = new QueryClient();
    made.setQueryData([...worksKey(ref, kind), "list"], { pages: [{ items: works }], pageParams: [null] });
    return made;
  };
  const shown = (made: QueryClient, key: readonly unknown[] = list) => made.getQueryData<{ pages: { items: unknown[] }[] }>(key)?.pages[0]?.items;
  const isStale = (made: QueryClient, key: readonly unknown[] = list) => made.getQueryState(key)?.isInvalidated;

  it("of a work show how far it is, without asking", () => {
    const made = client([{ id: "w0", state: "done" }, { id: "w1", state: "waiting" }]);
    made.setQueryData([...worksKey(ref, "imports"), "w1"], { id: "w1", state: "waiting", format: "coco" });
    takeWork(made, news);
    expect(shown(made)).toEqual([{ id: "w0", state: "done" }, { id: "w1", state: "running", stage: "reading", done: 7, total: 10, progress: 70, counts: { added: 7 }, notes: 1 }]);
    expect(made.getQueryData([...worksKey(ref, "imports"), "w1"])).toMatchObject({ state: "running", format: "coco", done: 7 });
    expect(isStale(made)).toBe(false);
  });

  it("of a new or an ended work have the list read again, and that list only", () => {
    const made = client([{ id: "w0", state: "done" }]);
    const other = [...worksKey({ ...ref, version: 4 }, "imports"), "list"];
    made.setQueryData(other, { pages: [{ items: [] }], pageParams: [null] });
    takeWork(made, news);
    expect([isStale(made), isStale(made, other)]).toEqual([true, false]);
    const ended = client([{ id: "w1", state: "running" }]);
    takeWork(ended, { ...news, state: "done" });
    expect(isStale(ended)).toBe(true);
  });

  it("of an export keep its own word for being made", () => {
    const made = client([{ id: "w1", state: "generating" }], "exports");
    takeWork(made, { ...news, kind: "export" });
    expect(shown(made, [...worksKey(ref, "exports"), "list"])).toMatchObject([{ state: "generating", done: 7 }]);
  });

  it("of a version replace its figures, and have everything read again when it was published", () => {
    const made = new QueryClient();
    const view = datasetVersionQuery(ref).queryKey;
    made.setQueryData(view, { id: "v3", work: "draft", item_revision: 5, items: 1, progress: 0 } as never);
    made.setQueryData(list, { pages: [], pageParams: [] });
    const told = { version_id: "v3", dataset: "boats", number: 3, work: "draft" as const, item_revision: 6, items: 2, annotations: 4, states: {}, done: 1, progress: 50 };
    takeVersion(made, told);
    expect(made.getQueryData(view)).toMatchObject({ items: 2, progress: 50, work: "draft" });
    takeVersion(made, { ...told, item_revision: 4, items: 9 });
    expect(made.getQueryData(view)).toMatchObject({ items: 2 });
    expect(isStale(made)).toBe(false);
    takeVersion(made, { ...told, item_revision: 7, work: "publishing" });
    expect(isStale(made)).toBe(true);
  });
});

describe("steps of preprocessing", () => {
  it("hold what was chosen, in shares of the picture", () => {
    const steps = stepsOf({ ...NO_STEPS, dropsBlurred: true, crops: true, degrees: 90, mirrorsVertically: true, resizes: true, height: null });
    expect(steps).toEqual({
      drop_blurred: { threshold: 50 },
      crop: { x: 0.1, y: 0.1, w: 0.8, h: 0.8, unit: "share", keep: 0 },
      rotate: { degrees: 90 },
      mirror: { horizontal: false, vertical: true },
      resize: { width: 640, height: null, fit: "inside" },
    });
  });

  it("are told what is missing before they are sent", () => {
    expect(stepsProblem(NO_STEPS)).toBe("nothing");
    expect(stepsProblem({ ...NO_STEPS, crops: true, crop: { left: 60, right: 40, top: 0, bottom: 0 } })).toBe("crop");
    expect(stepsProblem({ ...NO_STEPS, resizes: true, width: null, height: null })).toBe("resize");
    expect(stepsProblem({ ...NO_STEPS, mirrorsHorizontally: true })).toBeNull();
  });
});

describe("an export", () => {
  it("is suggested in a format that fits, and split only where it is for training", () => {
    expect([suggestedFormat("detection"), suggestedFormat("ocr")]).toEqual(["coco", "tidemill"]);
    const values = { withData: false, states: [], testPercent: 25, seed: 7, fresh: false };
    expect(exportOptions({ ...values, format: "training" })).toEqual({ test_ratio: 0.25, seed: 7 });
    expect(exportOptions({ ...values, format: "coco" })).toEqual({});
  });

  it("is the same as a command", () => {
    const of = { project: "tides", dataset: "boats", version: 3 };
    const values = { withData: true, states: ["labelled" as const], testPercent: 25, seed: 7, fresh: false };
    expect(exportCommand(of, { ...values, format: "training" })).toBe("tidemill dataset export boats@3 --format training --with-data --state labelled --test-ratio 0.25 --seed 7 --project tides");
    expect(exportCommand(of, { ...values, format: "yolo", options: { task: "pose" }, fresh: true })).toBe(`tidemill dataset export boats@3 --format yolo --with-data --state labelled --options '{"task":"pose"}' --fresh --project tides`);
  });

  it("is looked at again only while it goes on", () => {
    expect(lookInterval([{ state: "ready" }, { state: "failed" }], false)).toBe(false);
    expect(lookInterval([{ state: "ready" }, { state: "generating" }], false)).toBe(1000);
    expect(lookInterval([{ state: "ready" }, { state: "generating" }], true)).toBeGreaterThan(5000);
  });
});
