import { describe, expect, it } from "vitest";
import { NO_STEPS, stepsOf, stepsProblem } from "@/features/datasets/cleaning/step-values";
import { exportOptions, suggestedFormat } from "@/features/datasets/exports/export-values";
import { importBody, newImport, parseAddresses } from "@/features/datasets/imports/import-values";
import type { ImportValues, SourceValues } from "@/features/datasets/imports/import-values";
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

  it("reads addresses with and without labels", () => {
    expect(parseAddresses("https://a/1.jpg cat\n# not this\n\nhttps://a/2.jpg\thot dog\nhttps://a/3.jpg,dog\nhttps://a/4.jpg")).toEqual([
      { url: "https://a/1.jpg", label: "cat" },
      { url: "https://a/2.jpg", label: "hot dog" },
      { url: "https://a/3.jpg", label: "dog" },
      { url: "https://a/4.jpg" },
    ]);
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

  it("is looked at again only while it goes on", () => {
    expect(lookInterval([{ state: "ready" }, { state: "failed" }])).toBe(false);
    expect(lookInterval([{ state: "ready" }, { state: "generating" }])).toBeGreaterThan(0);
  });
});
