/** Which metrics one looks for first: how good the result is, then the rest, last what only tells how far a training is. */
const BEST_FIRST = ["test/", "val/"];
const COURSE = new Set(["learning_rate", "progress", "remaining_s", "epoch"]);

export function byInterest(names: readonly string[]): string[] {
  return [...names].sort((a, b) => rank(a) - rank(b));
}

function rank(name: string): number {
  if (COURSE.has(name)) return BEST_FIRST.length + 1;
  const at = BEST_FIRST.findIndex((prefix) => name.startsWith(prefix));
  return at < 0 ? BEST_FIRST.length : at;
}
