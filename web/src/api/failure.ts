/** What a refused or failed request looks like to the application. */
export interface FieldFailure {
  field: string;
  message: string;
  code?: string;
}

interface ErrorBody {
  code: string;
  message: string;
  field?: string | null;
  hint?: string | null;
  details?: unknown;
  request_id?: string | null;
}

/** The server answered, and the answer is no. `message` is already in the user's language. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";

  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly retryAfterS: number | null = null,
  ) {
    super(body.message);
  }

  get code(): string {
    return this.body.code;
  }

  get hint(): string | null {
    return this.body.hint ?? null;
  }

  get requestId(): string | null {
    return this.body.request_id ?? null;
  }

  /** Where in the application the caller can do something about it, where the server names such a place. */
  get link(): string | null {
    const { details } = this.body;
    return typeof details === "object" && details !== null && "link" in details && typeof details.link === "string" ? details.link : null;
  }

  /** The fields this failure is about, so that a form can show each text where it belongs. */
  get fields(): FieldFailure[] {
    const { details, field, message, code } = this.body;
    const listed = Array.isArray(details) ? details.filter(isFieldFailure) : [];
    if (listed.length > 0) return listed.map((item) => ({ ...item, field: bareField(item.field) }));
    return field ? [{ field: bareField(field), message, code }] : [];
  }

  static async from(response: Response): Promise<ApiFailure> {
    const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
    const body = await readErrorBody(response);
    return new ApiFailure(response.status, body, Number.isFinite(retryAfter) ? retryAfter : null);
  }
}

/** The server was not reached at all. */
export class NetworkFailure extends Error {
  override readonly name = "NetworkFailure";
}

export function isFailure(error: unknown, ...codes: string[]): error is ApiFailure {
  return error instanceof ApiFailure && (codes.length === 0 || codes.includes(error.code));
}

/** It is not there, or not for the caller to know; each noun has its own code for it. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 404;
}

async function readErrorBody(response: Response): Promise<ErrorBody> {
  const text = await response.text();
  try {
    const parsed: unknown = JSON.parse(text);
    if (isEnvelope(parsed)) return parsed.error;
  } catch (error) {
    // A proxy in between may answer with HTML; then only the status line is worth showing.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { code: `http_${response.status}`, message: `HTTP ${response.status} ${response.statusText}`.trim() };
}

function isEnvelope(value: unknown): value is { error: ErrorBody } {
  if (typeof value !== "object" || value === null || !("error" in value)) return false;
  const { error } = value;
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

function isFieldFailure(value: unknown): value is FieldFailure {
  return typeof value === "object" && value !== null && "field" in value && "message" in value && typeof value.field === "string";
}

/** Servers name a field by where it was found (`body.quota.cpu`); forms by what it is (`quota.cpu`). */
function bareField(field: string): string {
  return field.replace(/^(body|query|path)\./, "");
}
