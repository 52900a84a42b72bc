/** The one way to the server: typed by the generated schema, carrying language and CSRF header, turning errors into failures. */
import createClient from "openapi-fetch";
import type { Middleware } from "openapi-fetch";
import { currentLanguage } from "@/i18n";
import { connection } from "./connection";
import { ApiFailure, NetworkFailure } from "./failure";
import type { paths } from "./schema";
import { sessionGate } from "./session-gate";

/** `fetch` for the platform's own addresses; also for bodies the typed client does not know (chunks, file contents). */
export async function guardedFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = dressed(new Request(input, init));
  const spare = request.clone();
  const response = await reach(request);
  if (response.status !== 401 || !sessionGate.isArmed() || !(await isUnauthenticated(response))) return response;
  const hasSignedIn = await sessionGate.waitForSignIn();
  return hasSignedIn ? reach(spare) : response;
}

const throwFailures: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await ApiFailure.from(response);
  },
};

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: guardedFetch });
api.use(throwFailures);

/** The body of a successful answer: `const user = await unwrap(api.GET("/api/v1/users/{user}", …))`. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T; // failures have been thrown by the middleware, so what is here is the typed body
}

function dressed(request: Request): Request {
  request.headers.set("Accept-Language", currentLanguage());
  request.headers.set("X-Tidemill", "1");
  return request;
}

async function reach(request: Request): Promise<Response> {
  // Only reads are watched for slowness: a large upload is long by nature and shows its own progress.
  const ended = request.method === "GET" ? connection.watch() : () => undefined;
  try {
    const response = await fetch(request);
    connection.reached(response.status);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    connection.missed();
    throw new NetworkFailure("network", { cause: error });
  } finally {
    ended();
  }
}

async function isUnauthenticated(response: Response): Promise<boolean> {
  const failure = await ApiFailure.from(response.clone());
  return failure.code === "unauthenticated";
}
