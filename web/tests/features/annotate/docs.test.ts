import { describe, expect, it } from "vitest";
import type { Outbox } from "@/features/annotate/journal/outbox";
import type { Annotation, Item } from "@/features/annotate/model/types";
import type { Api } from "@/features/annotate/session/api";
import { Docs } from "@/features/annotate/session/docs";

const box = { id: "1", type: "box", label: 1, x: 1, y: 1, w: 5, h: 5 } as unknown as Annotation;
const item = (revision: number | null, annotations: Annotation[]) =>
  ({ seq: 7, path: "7.jpg", revision, annotations, state: annotations.length ? "labelled" : "unlabelled" }) as unknown as Item;

function docs(answer?: Promise<Item>): Docs {
  const outbox = { find: () => null } as unknown as Outbox;
  return new Docs({ item: () => answer } as unknown as Api, () => outbox);
}

describe("an answer that was under way while a change was stored", () => {
  it("does not hide what was stored, also when the item had not been loaded", async () => {
    let tell: (item: Item) => void = () => undefined;
    const asked = docs(new Promise<Item>((resolve) => (tell = resolve)));
    const loading = asked.load(7);
    asked.stored(7, { revision: 41, state: "labelled" }, [box]);
    tell(item(null, []));
    expect(await loading).toMatchObject({ base: 41, annotations: [box], state: "labelled" });
  });

  it("counts when it is newer than what was stored", () => {
    const known = docs();
    known.stored(7, { revision: 41, state: "labelled" }, [box]);
    expect(known.take(item(42, []))).toMatchObject({ base: 42, annotations: [], state: "unlabelled" });
  });
});
