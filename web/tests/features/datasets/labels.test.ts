import { describe, expect, it } from "vitest";
import { draftsOf, draftTree, parseNames, patchOf, placeAfterMove, putOf, withChanged, withMoved } from "@/features/datasets/labels/label-draft";
import type { LabelDraft } from "@/features/datasets/labels/label-draft";
import { parsePairs, skeletonOf, skeletonText } from "@/features/datasets/labels/skeleton-text";
import { readLabelFile } from "@/features/label-sets/label-file";

const draft = (name: string, parent: string | null = null): LabelDraft => ({ name, parent, colour: null, shortcut: null, attributes: [], skeleton: null });
const names = (drafts: LabelDraft[] | null) => drafts?.map(({ name }) => name);

describe("labels in two levels", () => {
  const drafts = [draft("vehicle"), draft("person"), draft("car", "vehicle"), draft("bus", "vehicle")];

  it("are listed with each parent before its own", () => {
    expect(draftTree(drafts).map(({ draft: { name }, depth }) => [name, depth])).toEqual([
      ["vehicle", 0],
      ["car", 1],
      ["bus", 1],
      ["person", 0],
    ]);
  });

  it("follow their parent to its new name", () => {
    expect(withChanged(drafts, drafts[0] as LabelDraft, draft("transport")).map(({ name, parent }) => [name, parent])).toEqual([
      ["transport", null],
      ["person", null],
      ["car", "transport"],
      ["bus", "transport"],
    ]);
  });

  it("change places with their neighbours of the same parent only", () => {
    const [vehicle, person, car, bus] = drafts as [LabelDraft, LabelDraft, LabelDraft, LabelDraft];
    const mixed = [car, vehicle, bus, person];
    expect(placeAfterMove(mixed, bus, -1)).toBe(0);
    expect(names(withMoved(mixed, bus, 0))).toEqual(["bus", "car", "vehicle", "person"]);
    expect(placeAfterMove(mixed, vehicle, 1)).toBe(3);
    expect(names(withMoved(mixed, vehicle, 3))).toEqual(["car", "bus", "person", "vehicle"]);
    expect(placeAfterMove(mixed, vehicle, -1)).toBeNull();
    expect(placeAfterMove(mixed, bus, 1)).toBeNull();
  });

  it("are changed one by one, with the number of what they are under", () => {
    const numbered = drafts.map((one, index) => ({ ...one, number: index + 1 }));
    expect(patchOf({ ...draft("lorry", "vehicle"), shortcut: "l" }, numbered)).toEqual({ name: "lorry", parent: 1, colour: null, shortcut: "l", attributes: [], skeleton: null });
    expect(patchOf(draft("lorry"), numbered).parent).toBeNull();
  });

  it("keep their numbers on the way from the server and back", () => {
    const views = [
      { number: 7, name: "vehicle", parent: null, colour: "#112233", shortcut: "v", attributes: [], skeleton: null, items: 1, annotations: 2 },
      { number: 9, name: "car", parent: 7, colour: "#445566", shortcut: null, attributes: [], skeleton: null, items: 0, annotations: 0 },
    ];
    expect(draftsOf(views).map(putOf)).toMatchObject([
      { number: 7, name: "vehicle", parent_name: null, shortcut: "v" },
      { number: 9, name: "car", parent_name: "vehicle" },
    ]);
  });
});

describe("labels that are typed", () => {
  it("come one a line, with their parents made before them and once", () => {
    expect(parseNames(" vehicle/car \n\nvehicle/bus\r\nperson\nperson")).toEqual([
      { name: "vehicle", parent: null },
      { name: "car", parent: "vehicle" },
      { name: "bus", parent: "vehicle" },
      { name: "person", parent: null },
    ]);
  });
});

describe("a skeleton", () => {
  it("comes back from its text as it went", () => {
    const skeleton = { points: ["nose", "left eye", "right eye"], edges: [[0, 1], [0, 2]], flips: [[1, 2]] };
    expect(skeletonOf(skeletonText(skeleton))).toEqual(skeleton);
    expect(skeletonText(skeleton).edges).toBe("1-2 1-3");
    expect(skeletonOf({ points: " \n", edges: "", flips: "" })).toBeNull();
  });

  it.each(["1-4", "0-1", "1", "1-1", "a-b"])("does not take %s for a pair of its three points", (text) => {
    expect(parsePairs(text, 3)).toBeUndefined();
  });
});

describe("a file of labels", () => {
  it("is read as JSON, as a table with a heading, or as plain names", () => {
    expect(readLabelFile('{"labels":[{"name":"car","parent_name":"vehicle","colour":"#112233","attributes":[]}]}')).toMatchObject([{ name: "car", parent: "vehicle", colour: "#112233" }]);
    expect(readLabelFile("\uFEFFnumber,name,parent,colour\n1,vehicle,,#112233\n2,car,vehicle,red\n")).toMatchObject([
      { name: "vehicle", parent: null, colour: "#112233" },
      { name: "car", parent: "vehicle", colour: null },
    ]);
    expect(readLabelFile("cat\ndog\n")?.map(({ name }) => name)).toEqual(["cat", "dog"]);
  });

  it.each(["", "{", '{"a":1}', "[1]"])("without labels is told from one with: %s", (text) => {
    expect(readLabelFile(text)).toBeNull();
  });
});
