import { describe, expect, it } from "vitest";
import { ApiFailure, NetworkFailure } from "@/api/failure";
import { withRetry } from "@/features/files/upload/retry";
import { SpeedMeter } from "@/features/files/upload/speed";

const failing = (errors: unknown[]) => () => {
  const error = errors.shift();
  return error === undefined ? Promise.resolve("done") : Promise.reject(error as Error);
};
const busy = (retryAfterS: number | null = null) => new ApiFailure(503, { code: "unavailable", message: "" }, retryAfterS);

describe("trying again", () => {
  it("waits longer each time, or as long as the server asks", async () => {
    const waits: (number | null)[] = [];
    const options = { signal: new AbortController().signal, onWaiting: (seconds: number | null) => waits.push(seconds), wait: () => Promise.resolve() };
    expect(await withRetry(failing([new NetworkFailure("x"), busy(), busy(9)]), options)).toBe("done");
    expect(waits).toEqual([1, null, 2, null, 9, null]);
  });

  it("does not repeat what the server refuses", async () => {
    const options = { signal: new AbortController().signal, onWaiting: () => undefined, wait: () => Promise.resolve() };
    const refused = new ApiFailure(403, { code: "forbidden", message: "no" });
    await expect(withRetry(failing([refused]), options)).rejects.toBe(refused);
  });

  it("ends at once when it is cancelled", async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onWaiting: () => controller.abort(new Error("stopped")) };
    await expect(withRetry(failing([busy()]), options)).rejects.toThrow("stopped");
  });
});

describe("the speed", () => {
  it("is that of the last seconds", () => {
    let now = 0;
    const meter = new SpeedMeter(() => now);
    meter.add(1000);
    now = 2000;
    meter.add(1000);
    expect(meter.bytesPerSecond()).toBe(1000);
    now = 60_000;
    expect(meter.bytesPerSecond()).toBe(0);
  });
});
