import { describe, expect, it } from "vitest";
import { recipeCommand } from "@/features/packages/recipe-command";
import { bodyOf, hasSomething, newRecipe, valuesOf } from "@/features/packages/recipe-values";

describe("a recipe", () => {
  it("leaves out rows that nobody filled", () => {
    const body = bodyOf({ ...newRecipe(), models: [null, "net@1"], requirements: "numpy>=2\n\n# a note\n", shell_commands: "\n mkdir x \n", environment: [{ name: "", value: "1" }, { name: " A ", value: "b" }] });
    expect(body).toMatchObject({ models: ["net@1"], requirements: ["numpy>=2"], shell_commands: ["mkdir x"], environment: { A: "b" }, port: 8080 });
  });

  it("has no command without code to start", () => {
    expect(bodyOf({ ...newRecipe(), command: "python app.py" }).command).toBe("");
    expect(bodyOf({ ...newRecipe(), algorithm: "app@1", command: "python app.py" }).command).toBe("python app.py");
  });

  it("comes back as it was from a version", () => {
    const body = bodyOf({ ...newRecipe(), models: ["net@1"], requirements: "numpy", environment: [{ name: "A", value: "b" }], shell_commands: "ls" });
    expect(bodyOf(valuesOf(body))).toEqual(body);
  });

  it("needs a model or code", () => {
    expect(hasSomething({ models: [], algorithm: null })).toBe(false);
    expect(hasSomething({ models: [], algorithm: "app@1" })).toBe(true);
  });

  it("is the same as a command, quoted for a shell", () => {
    const values = { ...newRecipe(), models: ["net@2"], algorithm: "app@1", command: "python app.py", port: 9000, requirements: "numpy>=2", shell_commands: "mkdir x" };
    expect(recipeCommand("lab", "my boats", values)).toBe("tidemill package build 'my boats' --model net@2 --algorithm app@1 --port 9000 --command 'python app.py' --requirement 'numpy>=2' --shell 'mkdir x' --project lab");
  });
});
