/** What the form of a version holds, and how it becomes the recipe the server takes. */
import { requirementsOf } from "@/features/images/requirements";
import type { Pair } from "@/features/training/parameters";
import type { RecipeBody, RecipeView } from "./types";

export const PORT = 8080;
export const COMMAND_MAX = 3000;

export interface RecipeValues {
  models: (string | null)[];
  image: string | null;
  algorithm: string | null;
  port: number | null;
  command: string;
  arguments: string;
  /** One a line. */
  requirements: string;
  environment: Pair[];
  /** One a line. */
  shell_commands: string;
  note: string;
}

export function newRecipe(): RecipeValues {
  return { models: [null], image: null, algorithm: null, port: PORT, command: "", arguments: "", requirements: "", environment: [], shell_commands: "", note: "" };
}

export function valuesOf(recipe: RecipeView): RecipeValues {
  return {
    models: recipe.models.length > 0 ? recipe.models : [null],
    image: recipe.image,
    algorithm: recipe.algorithm,
    port: recipe.port,
    command: recipe.command,
    arguments: recipe.arguments,
    requirements: recipe.requirements.join("\n"),
    environment: Object.entries(recipe.environment).map(([name, value]) => ({ name, value })),
    shell_commands: recipe.shell_commands.join("\n"),
    note: "",
  };
}

export function bodyOf(values: RecipeValues): RecipeBody {
  return { ...recipeOf(values), note: values.note.trim() };
}

/** What the version is made of, without what is said about it. */
export function recipeOf(values: RecipeValues): Omit<RecipeBody, "note"> {
  const algorithm = values.algorithm ?? null;
  return {
    models: values.models.filter((model): model is string => Boolean(model)),
    image: values.image ?? null,
    algorithm,
    port: values.port ?? PORT,
    // Without code there is no folder it could be started in; the field is not there then.
    command: algorithm === null ? "" : values.command.trim(),
    arguments: values.arguments.trim(),
    requirements: requirementsOf(values.requirements),
    environment: Object.fromEntries(values.environment.filter((pair) => pair?.name?.trim()).map(({ name, value }) => [name.trim(), value ?? ""])),
    shell_commands: linesOf(values.shell_commands),
  };
}

/** A recipe has something to serve: models, code, or both. */
export function hasSomething(recipe: Pick<RecipeBody, "models" | "algorithm">): boolean {
  return recipe.models.length > 0 || recipe.algorithm !== null;
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
