/** `name@3`, `name` for the newest version, `public/name@3` for a public one. */
export interface AssetChoice {
  isPublic: boolean;
  name: string;
  version: number | null;
}

const PUBLIC = "public/";

export function parseRef(ref: string): AssetChoice {
  const isPublic = ref.startsWith(PUBLIC);
  const bare = isPublic ? ref.slice(PUBLIC.length) : ref;
  const match = /^(.*)@(\d+)$/.exec(bare);
  return match ? { isPublic, name: match[1] ?? "", version: Number(match[2]) } : { isPublic, name: bare, version: null };
}

export function formatRef({ isPublic, name, version }: AssetChoice): string {
  return `${isPublic ? PUBLIC : ""}${name}${version === null ? "" : `@${version}`}`;
}
