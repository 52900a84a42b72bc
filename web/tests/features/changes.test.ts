import { expect, it } from "vitest";
import { changesOf } from "@/features/audit/changes";

it("shows each field before and after, changed ones first", () => {
  const changes = changesOf({ name: "a", quota: { cpu: 8 } }, { name: "a", quota: { cpu: 16, memory: 1 } });
  expect(changes).toEqual([
    { field: "quota.cpu", before: "8", after: "16", isChanged: true },
    { field: "quota.memory", before: null, after: "1", isChanged: true },
    { field: "name", before: "a", after: "a", isChanged: false },
  ]);
});

it("shows a new thing as all new, and keeps lists whole", () => {
  expect(changesOf(null, { permissions: ["a.read"] })).toEqual([{ field: "permissions", before: null, after: '["a.read"]', isChanged: true }]);
});
