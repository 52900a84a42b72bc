/** Hands the user a file that the page itself has made, or one at an address of the server. */
export function downloadUrl(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

export function downloadText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  downloadUrl(url, name);
  URL.revokeObjectURL(url);
}
