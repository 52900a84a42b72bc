// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { guardedFetch } from "@/api/client";
import { sessionGate } from "@/api/session-gate";

const ADDRESS = "http://localhost/api/v1/things";
const expired = () => new Response(JSON.stringify({ error: { code: "unauthenticated", message: "sign in" } }), { status: 401 });

function answers(...responses: Response[]) {
  const sent: Request[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    sent.push(request);
    return Promise.resolve(responses.shift() ?? new Response("{}"));
  });
  return sent;
}

afterEach(() => {
  sessionGate.disarm();
  vi.unstubAllGlobals();
});

describe("a request that meets an expired session", () => {
  it("waits for the sign-in and is sent again with its body", async () => {
    sessionGate.arm();
    const sent = answers(expired(), new Response("saved"));
    const result = guardedFetch(ADDRESS, { method: "POST", body: "typed text" });
    await vi.waitFor(() => expect(sessionGate.isAsking()).toBe(true));
    sessionGate.signedIn();
    expect(await (await result).text()).toBe("saved");
    expect(await sent[1]?.text()).toBe("typed text");
    expect(sessionGate.isAsking()).toBe(false);
  });

  it("is given up when the user leaves instead", async () => {
    sessionGate.arm();
    answers(expired());
    const result = guardedFetch(ADDRESS);
    await vi.waitFor(() => expect(sessionGate.isAsking()).toBe(true));
    sessionGate.disarm();
    expect((await result).status).toBe(401);
  });

  it("does not ask while a new sign-in is already on its way", async () => {
    sessionGate.arm();
    answers(expired(), new Response("ok"));
    await sessionGate.hold(async () => {
      const result = guardedFetch(ADDRESS);
      await new Promise((resolve) => setTimeout(resolve));
      expect(sessionGate.isAsking()).toBe(false);
      sessionGate.signedIn();
      await result;
    });
  });

  it("does not wait before anybody was signed in", async () => {
    answers(expired());
    expect((await guardedFetch(ADDRESS)).status).toBe(401);
  });
});

it("carries the language and the header that other sites cannot send", async () => {
  const sent = answers(new Response("{}"));
  await guardedFetch(ADDRESS);
  expect(sent[0]?.headers.get("X-Tidemill")).toBe("1");
  expect(sent[0]?.headers.get("Accept-Language")).toMatch(/^(en|zh-CN)$/);
});
