/** Bytes as people read them: address, sixteen bytes, the same as characters. */
const WIDTH = 16;

export function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const row = bytes.subarray(at, at + WIDTH);
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(WIDTH * 3 - 1)}  ${text}`);
  }
  return lines;
}
