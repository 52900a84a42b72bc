/** Shapes as people write them: `?, 3, 224, 224`; a name such as `batch` for a size that is only known when it runs. */
export type Dimension = number | string | null;

const SIZES_MAX = 32;
const SIZE_LENGTH_MAX = 50;

/** Null for "not known"; undefined when it is not a shape. */
export function parseShape(text: string): Dimension[] | null | undefined {
  const bare = text.trim().replace(/^\[(.*)\]$/, "$1").trim();
  if (bare === "") return null;
  const sizes = bare.split(",").map(parseSize);
  return sizes.length > SIZES_MAX || sizes.includes(undefined) ? undefined : (sizes as Dimension[]);
}

export function shapeInput(shape: Dimension[] | null | undefined): string {
  return shape?.map((size) => (size === null || size === -1 ? "?" : String(size))).join(", ") ?? "";
}

export function shapeText(shape: Dimension[] | null | undefined): string {
  return shape ? `[${shapeInput(shape)}]` : "–";
}

function parseSize(text: string): Dimension | undefined {
  const size = text.trim();
  if (size === "?" || size === "-1") return null;
  if (/^\d+$/.test(size)) return Number.isSafeInteger(Number(size)) ? Number(size) : undefined;
  return size !== "" && size.length <= SIZE_LENGTH_MAX ? size : undefined;
}
