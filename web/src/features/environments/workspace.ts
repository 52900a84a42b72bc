/** Where things are inside an environment. */
export function workspacePath(target: string): string {
  return `/workspace/${target}`;
}
