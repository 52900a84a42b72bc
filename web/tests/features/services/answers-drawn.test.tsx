// @vitest-environment jsdom
/** Answers of real models, as they came over the wire. */
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Edges } from "@/features/annotate/model/skeleton";
import { AnswerList } from "@/features/services/trying/AnswerList";
import { AnswerPicture } from "@/features/services/trying/AnswerPicture";
import { readAnswer } from "@/features/services/trying/answer";
import { tagsOf } from "@/features/services/trying/tags";
import { startTexts } from "@/i18n";
import { renderPage } from "../../ui/render";

const SEGMENTED = String.raw`{"model":"voc","version":"1","task":"segmentation","annotations":[{"type":"mask","size":[42,64],"rle":"Q95T1100ILXO1LOk0OUO0U11l30VL1O0O100000ODNB3EMe03C4<O@2LHa0e0_O[Ob0d0^O\\Ob0d0^O\\Oc0c0]O]Oc0c03OZO^Od0b0\\O^Od0b0\\O^Od0b0\\O^Oc0c02000O1O1]O[Oc0c0]O]Od0d05\\OWO=n0MUOFk05di0","label":"cat","score":0.768636}],"uncertainty":0.181004,"width":64,"height":42,"latency_ms":53.901}`;
const POSE = '{"model":"pose","version":"1","task":"keypoints","annotations":[{"type":"keypoints","label":"person","points":[[75.41,53.05,2],[76.69,49.85,2],[71.58,48.57,2],[72.86,49.85,2],[64.55,49.85,0]],"x":35.15,"y":48.57,"w":55.6,"h":90.11,"score":0.797441}],"uncertainty":0.202559,"width":128,"height":156,"latency_ms":10.699}';
const READ =
  '{"model":"reader","version":"1","task":"ocr","annotations":[{"type":"box","x":1.16,"y":0.99,"w":181.14,"h":31.01,"label":"text","text":"就会哈哈大笑。","score":0.991943},{"type":"box","x":176.51,"y":5.17,"w":39.6,"h":22.14,"label":"text","text":"3.0","score":0.996169}],"uncertainty":0.005944,"width":280,"height":32,"latency_ms":174.916}';
const HEARD = '{"model":"audio","version":"1","task":"audio-classification","labels":[{"label":"zero","score":0.550884},{"label":"one","score":0.182087},{"label":"three","score":0.159039},{"label":"two","score":0.10799}],"annotations":[{"type":"class","label":"zero","score":0.550884}],"uncertainty":0.631203,"latency_ms":1.356}';

function read(text: string) {
  const answer = readAnswer(text);
  if (!answer) throw new Error("it is no answer");
  return answer;
}

/** Draws an answer on a picture of that size; what was painted on its canvas comes back. */
function draw(text: string, size: { width: number; height: number }, pointed: number | null = null, edges?: ReadonlyMap<string, Edges>): { painted: number; frame: HTMLElement } {
  let painted = 0;
  const context = { clearRect: () => undefined, fillRect: (_x: number, _y: number, width: number, height: number) => (painted += width * height) };
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as unknown as RenderingContext);
  renderPage(<AnswerPicture source="blob:picture" annotations={read(text).annotations} pointed={pointed} edges={edges} />);
  const picture = screen.getByAltText("The picture that was sent");
  Object.defineProperties(picture, { naturalWidth: { value: size.width }, naturalHeight: { value: size.height } });
  fireEvent.load(picture);
  return { painted, frame: picture.parentElement as HTMLElement };
}

beforeAll(() => startTexts());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("an answer on its picture", () => {
  it("covers what a mask covers", () => {
    const { painted, frame } = draw(SEGMENTED, { width: 64, height: 42 });
    expect(painted).toBe(453);
    expect(frame.querySelector("canvas")?.width).toBe(64);
  });

  it("has a dot for each keypoint that is there", () => {
    const { frame } = draw(POSE, { width: 128, height: 156 });
    const dots = frame.querySelector("[data-dots] path:last-child")?.getAttribute("d") ?? "";
    expect(dots.match(/M/g)).toHaveLength(4);
    expect(dots).toContain("M75.41 53.05");
    expect(within(frame).getByText("person 79.7%")).toBeTruthy();
  });

  it("joins keypoints as the model's skeleton does, where both ends are there", () => {
    const { frame } = draw(POSE, { width: 128, height: 156 }, null, new Map([["person", [[0, 1], [1, 2], [3, 4], [2, 99]]]]));
    const lines = [...frame.querySelectorAll("g > g:not([data-dots]) path:last-child")].map((one) => one.getAttribute("d"));
    expect(lines).toEqual(["M75.41 53.05L76.69 49.85M76.69 49.85L71.58 48.57"]);
    expect(frame.querySelector("[data-dots] path:last-child")?.getAttribute("d")).not.toContain("L");
  });

  it("draws points alone where the model knows no skeleton, or that of another label", () => {
    for (const edges of [undefined, new Map([["horse", [[0, 1]]]])]) {
      const { frame } = draw(POSE, { width: 128, height: 156 }, null, edges);
      expect(frame.querySelectorAll("path")).toHaveLength(2);
      cleanup();
    }
  });

  it("says what was read beside it, and a small picture is made larger", () => {
    const { frame } = draw(READ, { width: 280, height: 32 });
    expect(within(frame).getByText("就会哈哈大笑。 99.2%")).toBeTruthy();
    expect(within(frame).getByText("3.0 99.6%").style.left).toMatch(/^63\.0/);
    expect(screen.getByAltText("The picture that was sent").style.width).toBe("480px");
  });
});

describe("an answer in words", () => {
  it("tells the classes that were not chosen, too", () => {
    renderPage(<AnswerList answer={read(HEARD)} onPoint={() => undefined} />);
    const said = within(screen.getByRole("list", { name: "What it found" })).getAllByRole("listitem");
    expect(said.map((one) => one.textContent)).toEqual(["zero55.1%", "one18.2%", "three15.9%", "two10.8%"]);
  });

  it("reads what was written", () => {
    renderPage(<AnswerList answer={read(READ)} onPoint={() => undefined} />);
    expect(screen.getByText("text · 就会哈哈大笑。")).toBeTruthy();
  });
});

describe("words at shapes", () => {
  const box = (x: number, y: number) => ({ type: "box" as const, label: "boat", x, y, w: 10, h: 10 });
  const size = { width: 100, height: 100 };

  it("stand in lines where they would cover each other, and end at the right edge where there is no room", () => {
    expect(tagsOf([box(10, 10), box(12, 12), box(80, 10)], size).map(({ x, line, isRight }) => [x, line, isRight])).toEqual([
      [10, -1, false],
      [12, 0, false],
      [90, -1, true],
    ]);
  });

  it("are left out where there are too many, and where there is no place", () => {
    expect(tagsOf(Array.from({ length: 30 }, (_, at) => box(at, at)), size).every((tag) => tag.isCrowded)).toBe(true);
    expect(tagsOf([{ type: "class", label: "boat" }, { type: "box", label: "odd" } as never, { type: "polygon", label: "odd" } as never], size)).toEqual([]);
    const hidden = { type: "keypoints" as const, label: "person", points: [[3, 4, 0]] as [number, number, number][] };
    const area = { type: "mask" as const, label: "boat", size: [4, 4] as [number, number], rle: "" };
    expect(tagsOf([hidden, area], size)).toEqual([]);
  });

  it("stand at the points themselves, whatever box is around them", () => {
    const person = { type: "keypoints" as const, label: "person", points: [[30, 40, 2], [50, 20, 1], [0, 0, 0]] as [number, number, number][], x: 1, y: 2, w: 90, h: 90 };
    expect(tagsOf([person], size)).toMatchObject([{ x: 30, y: 20 }]);
  });
});
