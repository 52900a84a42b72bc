/** `name@3`, or `name` for the newest version. */
export interface AssetChoice {
  name: string;
  version: number | null;
}

export function parseRef(ref: string): AssetChoice {
  const match = /^(.*)@(\d+)$/.exec(ref);
  return match ? { name: match[1] ?? "", version: Number(match[2]) } : { name: ref, version: null };
}

export function formatRef({ name, version }: AssetChoice): string {
  return version === null ? name : `${name}@${version}`;
}
