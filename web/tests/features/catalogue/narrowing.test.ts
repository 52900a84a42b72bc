import { describe, expect, it } from "vitest";
import { licencesOf, narrowed, sizeOf } from "@/features/catalogue/narrowing";
import type { CatalogueEntry } from "@/features/catalogue/types";

const MIB = 1024 * 1024;
const entry = (name: string, more: Partial<CatalogueEntry>): CatalogueEntry => ({ name, title: name, description: "", task: "object-detection", licence: "Apache-2.0", labels: [], size_bytes: 4 * MIB, state: "not_installed", ...more }) as CatalogueEntry;
const all = [entry("yolox", { labels: ["person"], state: "installed" }), entry("ocr", { task: "ocr", licence: "MIT", size_bytes: 12 * MIB }), entry("large", { size_bytes: 90 * MIB })];
const names = (query: Partial<Parameters<typeof narrowed>[1]>) => narrowed(all, { filters: {}, ...query }).map(({ name }) => name);

describe("the catalogue", () => {
  it("is narrowed by task, licence, size and state, and searched by labels too", () => {
    expect(names({ filters: { task: "ocr" } })).toEqual(["ocr"]);
    expect(names({ filters: { licence: "Apache-2.0", size: "small" } })).toEqual(["yolox"]);
    expect(names({ filters: { state: "installed" } })).toEqual(["yolox"]);
    expect(names({ q: "Person" })).toEqual(["yolox"]);
    expect(names({ q: "nothing" })).toEqual([]);
  });

  it("is ordered by size and name", () => {
    expect(names({ sort: "-size_bytes" })).toEqual(["large", "ocr", "yolox"]);
    expect(names({ sort: "name" })).toEqual(["large", "ocr", "yolox"]);
    expect(all.map(sizeOf)).toEqual(["small", "middle", "large"]);
    expect(licencesOf(all)).toEqual(["Apache-2.0", "MIT"]);
  });
});
