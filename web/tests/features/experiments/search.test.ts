import { describe, expect, it } from "vitest";
import { filterOf, orderOf } from "@/features/experiments/search";

describe("what a table's boxes hold, in the words of the server's search", () => {
  it("joins the search box, the state and the written filter", () => {
    const filter = filterOf("base", { state: "completed", filter: "metrics.acc > 0.9" });
    expect(filter).toBe("attributes.run_name ILIKE '%base%' AND attributes.status IN ('FINISHED') AND metrics.acc > 0.9");
  });

  it("lets no quote end the text, and no sign of a pattern mean more than itself", () => {
    expect(filterOf("o'clock 5%", {})).toBe(String.raw`attributes.run_name ILIKE '%o\'clock 5\\%%'`);
  });

  it("is empty when nothing is asked", () => {
    expect(filterOf(undefined, {})).toBe("");
    expect(orderOf(undefined)).toBeUndefined();
  });

  it("puts names with dots and blanks between marks", () => {
    expect(orderOf("-metrics.val/acc top.1")).toEqual(["metrics.`val/acc top.1` DESC"]);
    expect(orderOf("start_time")).toEqual(["start_time ASC"]);
  });
});
