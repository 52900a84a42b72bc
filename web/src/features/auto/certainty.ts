/** Figures about how sure a model is. */

export type Level = "low" | "middle" | "high";

const LOW = 0.5;
const HIGH = 0.8;

export function levelOf(certainty: number): Level {
  return certainty < LOW ? "low" : certainty < HIGH ? "middle" : "high";
}

/** How many items lie wholly at or above the threshold (0 to 1), as far as tenths tell: the bin it falls into counts in part. */
export function countAtLeast(byCertainty: readonly number[], threshold: number): number {
  const bins = byCertainty.length;
  const sum = byCertainty.reduce((total, count, bin) => {
    const [from, to] = [bin / bins, (bin + 1) / bins];
    if (threshold <= from) return total + count;
    return threshold >= to ? total : total + count * ((to - threshold) / (to - from));
  }, 0);
  return Math.round(sum);
}
