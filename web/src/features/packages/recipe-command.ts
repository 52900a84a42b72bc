/** The same as commands. */
import { shellQuote } from "@/lib/shell";
import { bodyOf, PORT } from "./recipe-values";
import type { RecipeValues } from "./recipe-values";

export function createCommand(project: string): string {
  return `tidemill package build NAME --model MODEL@1 --project ${shellQuote(project)}`;
}

/** The command that builds the same version. */
export function recipeCommand(project: string, name: string, values: RecipeValues): string {
  const recipe = bodyOf(values);
  const words = ["tidemill package build", shellQuote(name)];
  const add = (option: string, value: string | number | null) => {
    if (value !== null && value !== "") words.push(option, shellQuote(String(value)));
  };
  recipe.models.forEach((model) => add("--model", model));
  add("--algorithm", recipe.algorithm);
  add("--image", recipe.image);
  if (recipe.port !== PORT) add("--port", recipe.port);
  add("--command", recipe.command);
  add("--arguments", recipe.arguments);
  recipe.requirements.forEach((line) => add("--requirement", line));
  Object.entries(recipe.environment).forEach(([key, value]) => add("--env", `${key}=${value}`));
  recipe.shell_commands.forEach((line) => add("--shell", line));
  add("--note", recipe.note);
  add("--project", project);
  return words.join(" ");
}
