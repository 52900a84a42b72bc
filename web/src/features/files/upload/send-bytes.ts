/** Sends a body that is too big for the typed client, with progress while it goes. */
import { connection } from "@/api/connection";
import { ApiFailure, NetworkFailure } from "@/api/failure";
import { sessionGate } from "@/api/session-gate";
import { currentLanguage } from "@/i18n";

export interface SendOptions {
  method: "PUT" | "POST";
  address: string;
  body: Blob;
  contentType: string;
  signal: AbortSignal;
  onProgress?: (bytes: number) => void;
}

/** The parsed answer. An expired session waits for the user to sign in and sends again. */
export async function sendBytes<T>(options: SendOptions): Promise<T> {
  for (;;) {
    const response = await attempt(options);
    if (response.ok) return (await response.json()) as T;
    const failure = await ApiFailure.from(response);
    if (failure.code !== "unauthenticated" || !sessionGate.isArmed() || !(await sessionGate.waitForSignIn())) throw failure;
  }
}

/** XMLHttpRequest, because fetch tells nothing about how much of a body has been sent. */
async function attempt({ method, address, body, contentType, signal, onProgress }: SendOptions): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(method, address);
    request.setRequestHeader("Content-Type", contentType);
    request.setRequestHeader("Accept-Language", currentLanguage());
    request.setRequestHeader("X-Tidemill", "1");
    if (onProgress) request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => {
      connection.reached(request.status);
      resolve(responseOf(request));
    };
    request.onerror = () => {
      connection.missed();
      reject(new NetworkFailure("network"));
    };
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    request.send(body);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader("Retry-After");
  const body = request.status === 204 ? null : request.responseText;
  return new Response(body, { status: request.status, headers: retryAfter ? { "Retry-After": retryAfter } : {} });
}
