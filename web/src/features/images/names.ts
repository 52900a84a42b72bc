/** Names and versions of images, as registries allow them. */
const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const NAME = new RegExp(`^${PART}(?:/${PART})*$`);
const VERSION = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const NAME_MAX = 200;

export function isImageName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text) && !text.startsWith("public/");
}

export function isImageVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Enough of `sha256:…` to tell one from another. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 12);
}
