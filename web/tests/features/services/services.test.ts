import { describe, expect, it } from "vitest";
import { drawn, keyOf } from "@/features/services/metrics/series";
import { newAlert, patchOf, valuesOf } from "@/features/services/rule-values";
import { serviceCommand } from "@/features/services/service-command";
import { bodyOf, nameFor, newService, secretChanges, sourceIn } from "@/features/services/service-values";
import { pretty, readAnswer } from "@/features/services/trying/answer";
import { curlOf, inputOfTask, requestOf } from "@/features/services/trying/requests";
import type { Series } from "@/features/services/types";

describe("deploying", () => {
  it("begins with what the address names", () => {
    expect(sourceIn(new URLSearchParams("model=net@3"))).toEqual({ model: "net@3" });
    expect(sourceIn(new URLSearchParams())).toBeNull();
  });

  it("calls a service as what it serves", () => {
    expect(nameFor({ model: "public/net@3" })).toBe("net");
    expect(nameFor({ run: "run_1" })).toBe("");
  });

  it("sends only the source that was chosen", () => {
    const body = bodyOf({ ...newService({ model: "net@3" }), package: "left@1", replicas: null });
    expect(body).toMatchObject({ model: "net@3", replicas: 1, name: "net" });
    expect(body.package).toBeUndefined();
  });

  it("is the same as a command, with limits, and secrets by their names only", () => {
    const values = { ...newService({ package: "boats@2" }), secrets: [{ name: "KEY", value: "hush" }], cors: ["https://a.example"], timeout_s: 5, rate_per_s: 2.5, body_max_bytes: 1000 };
    expect(serviceCommand("lab", values)).toBe("tidemill service deploy boats --package boats@2 --secret KEY --cors https://a.example --max-body 1000 --timeout 5 --rate 2.5 --project lab");
    expect(bodyOf(values).secrets).toEqual({ KEY: "hush" });
  });

  it("changes only the secrets that were touched", () => {
    const rows = [{ name: "KEPT", value: "" }, { name: "SET", value: "new" }, { name: "MORE", value: "x" }];
    expect(secretChanges(["KEPT", "SET", "GONE"], rows)).toEqual({ SET: "new", MORE: "x", GONE: null });
    expect(secretChanges([], [])).toEqual({});
  });

  it("is the same as a command", () => {
    expect(serviceCommand("lab", { ...newService({ package: "boats@2" }), replicas: 3, access: "open" })).toBe("tidemill service deploy boats --package boats@2 --replicas 3 --open --project lab");
  });
});

describe("rules", () => {
  it("say shares in percent and send them from 0 to 1", () => {
    const patch = patchOf({ alerts: [{ ...newAlert(), above: 12.5 }, { ...newAlert(), metric: "p99_ms", above: 250, role: "canary" }], hasRollback: true, rollback: { error_rate: 5, p99_ms: null, requests: 20, window_s: 60 } });
    expect(patch.alerts?.map(({ above, role }) => [above, role])).toEqual([[0.125, null], [250, "canary"]]);
    expect(patch.rollback).toEqual({ error_rate: 0.05, p99_ms: null, requests: 20, window_s: 60 });
  });

  it("come back without the noise of fractions", () => {
    const values = valuesOf({ alerts: [{ id: "a", metric: "error_rate", above: 0.07, window_s: 60, for_s: 0, role: null, requests: 1 }], rollback: null });
    expect(values.alerts[0]?.above).toBe(7);
    expect(values.hasRollback).toBe(false);
  });
});

describe("an answer", () => {
  const box = { type: "box", label: "boat", x: 1, y: 2, w: 3, h: 4 };

  it("is read from /predict and from the Open Inference Protocol", () => {
    expect(readAnswer(JSON.stringify({ annotations: [box] }))?.annotations).toEqual([box]);
    const tensors = { outputs: [{ name: "annotations", data: [JSON.stringify([box])] }, { name: "value", data: [3.5] }] };
    expect(readAnswer(JSON.stringify(tensors))).toEqual({ annotations: [box], value: 3.5, others: [] });
  });

  it("is left as it is where it has another form", () => {
    expect(readAnswer("hello")).toBeNull();
    expect(readAnswer('{"ready": true}')).toBeNull();
    expect(readAnswer('{"outputs": [{"name": "annotations", "data": ["no json"]}]}')).toBeNull();
    expect(readAnswer(null)).toBeNull();
  });

  it("loses what is no annotation", () => {
    expect(readAnswer(JSON.stringify({ annotations: [box, 3, null, {}] }))?.annotations).toEqual([box]);
  });

  it("is set in lines where it is JSON", () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty("plain")).toBe("plain");
  });
});

describe("trying", () => {
  it("chooses the input by the task", () => {
    expect(["image-classification", "text-classification", "audio-classification", "tabular", ""].map(inputOfTask)).toEqual(["picture", "text", "audio", "json", "picture"]);
  });

  it("has nothing to send until something is given", () => {
    const none = { file: null, text: "", json: "", path: "" };
    expect(requestOf("picture", none)).toBeNull();
    expect(requestOf("text", { ...none, text: "hi", path: "/predict" })).toEqual({ method: "POST", path: "predict", contentType: "text/plain; charset=utf-8", body: "hi" });
  });

  it("is the same as curl, with the key only where it is needed", () => {
    const request = { method: "POST" as const, path: "predict", contentType: "application/json", body: '{"a": "it\'s"}' };
    expect(curlOf("http://h/p/s", request, false)).toBe(`curl -H 'Content-Type: application/json' --data-binary '{"a": "it'\\''s"}' http://h/p/s/predict`);
    expect(curlOf("http://h/p/s", request, true)).toContain("Authorization: Bearer $TIDEMILL_KEY");
  });
});

describe("curves", () => {
  const of = (number: number | null, replica: string | null) => ({ number, replica }) as Series;

  it("are of deployments, or of replicas where those are asked for, or of the whole where there is nothing else", () => {
    const all = [of(null, null), of(1, null), of(1, "r")];
    expect(drawn(all, false)).toEqual([of(1, null)]);
    expect(drawn(all, true)).toEqual([of(1, "r")]);
    expect(drawn([of(null, null)], true)).toEqual([of(null, null)]);
  });

  it("of copies that a canary was shown stand beside its own", () => {
    const all = [of(null, null), of(2, null), { ...of(2, null), is_shadow: true }];
    expect(drawn(all, false)).toHaveLength(2);
    expect(new Set(drawn(all, false).map(keyOf)).size).toBe(2);
  });
});
