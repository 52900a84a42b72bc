/** What is sent, and the same to copy. */
import { shellQuote } from "@/lib/shell";
import type { TestRequest } from "../api";

export type InputKind = "picture" | "text" | "audio" | "json";
export const INPUTS: InputKind[] = ["picture", "text", "audio", "json"];

/** What a task is tried with; a picture where nothing is known. */
export function inputOfTask(task: string): InputKind {
  if (/audio|sound|speech|transcri/.test(task)) return "audio";
  if (/tab/.test(task)) return "json";
  return /^text-classification|^classify-text/.test(task) ? "text" : "picture";
}

export const PREDICT = "predict";

export function requestOf(kind: InputKind, given: { file: File | null; text: string; json: string; path: string }): TestRequest | null {
  const path = given.path.trim().replace(/^\/+/, "") || PREDICT;
  switch (kind) {
    case "picture":
    case "audio":
      return given.file && { method: "POST", path, contentType: given.file.type || "application/octet-stream", body: given.file };
    case "text":
      return given.text === "" ? null : { method: "POST", path, contentType: "text/plain; charset=utf-8", body: given.text };
    case "json":
      return given.json.trim() === "" ? null : { method: "POST", path, contentType: "application/json", body: given.json };
  }
}

/** The first lines of the request, as they go over the wire; the key is never shown. */
export function rawRequest(url: string, request: TestRequest, sizeText: (bytes: number) => string): string {
  const { method, path, contentType, body } = request;
  const head = [`${method} ${new URL(`${url}/${path}`).pathname} HTTP/1.1`, `Host: ${new URL(url).host}`, ...(contentType ? [`Content-Type: ${contentType}`] : []), "Authorization: Bearer $TIDEMILL_KEY"];
  const said = body === null ? "" : typeof body === "string" ? body : `<${sizeText(body.size)}>`;
  return `${head.join("\n")}\n\n${said}`;
}

export function curlOf(url: string, request: TestRequest, needsKey: boolean): string {
  const { path, contentType, body } = request;
  const words = ["curl", ...(needsKey ? ['-H "Authorization: Bearer $TIDEMILL_KEY"'] : []), ...(contentType ? [`-H ${shellQuote(`Content-Type: ${contentType}`)}`] : [])];
  if (typeof body === "string") words.push("--data-binary", shellQuote(body));
  else if (body !== null) words.push("--data-binary", shellQuote(`@${body instanceof File ? body.name : "FILE"}`));
  words.push(shellQuote(`${url}/${path}`));
  return words.join(" ");
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // what is wrong with it is said at the field
  }
}
