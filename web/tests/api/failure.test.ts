import { describe, expect, it } from "vitest";
import { ApiFailure } from "@/api/failure";

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });

describe("a refused request", () => {
  it("names each field it is about", async () => {
    const details = [{ field: "body.quota.cpu", message: "too much", code: "range" }, { field: "name", message: "taken", code: "conflict" }];
    const failure = await ApiFailure.from(answer(422, { error: { code: "invalid", message: "Invalid", details } }));
    expect(failure.fields.map(({ field, message }) => [field, message])).toEqual([["quota.cpu", "too much"], ["name", "taken"]]);
  });

  it("falls back to the one field of the error itself", async () => {
    const failure = await ApiFailure.from(answer(409, { error: { code: "conflict", message: "taken", field: "name" } }));
    expect(failure.fields).toEqual([{ field: "name", message: "taken", code: "conflict" }]);
  });

  it("does not take other details for fields", async () => {
    const failure = await ApiFailure.from(answer(409, { error: { code: "wrong_offset", message: "no", details: { offset: 3 } } }));
    expect(failure.fields).toEqual([]);
  });

  it("says how long to wait", async () => {
    const failure = await ApiFailure.from(answer(429, { error: { code: "too_many_attempts", message: "wait" } }, { "Retry-After": "30" }));
    expect(failure.retryAfterS).toBe(30);
  });

  it("survives an answer that is not ours", async () => {
    const failure = await ApiFailure.from(answer(502, "<html>bad gateway</html>"));
    expect([failure.status, failure.code]).toEqual([502, "http_502"]);
  });
});
