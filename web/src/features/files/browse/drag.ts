/** Rows dragged inside the browser carry their paths; files dragged in from outside carry files. */
const PATHS = "application/x-tidemill-paths";

export function startDrag(transfer: DataTransfer, paths: string[]): void {
  transfer.setData(PATHS, JSON.stringify(paths));
  transfer.effectAllowed = "move";
}

export function isPathDrag(transfer: DataTransfer): boolean {
  return transfer.types.includes(PATHS);
}

export function isFileDrag(transfer: DataTransfer): boolean {
  return transfer.types.includes("Files");
}

export function droppedPaths(transfer: DataTransfer): string[] {
  const parsed: unknown = JSON.parse(transfer.getData(PATHS) || "[]");
  return Array.isArray(parsed) ? parsed.filter((path) => typeof path === "string") : [];
}
