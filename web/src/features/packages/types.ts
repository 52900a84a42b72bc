/** Short names for the wire types of packages. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type PackageView = Schemas["PackageView"];
export type PackageVersion = Schemas["PackageVersionView"];
export type PackageState = PackageVersion["state"];
export type PackageServer = PackageVersion["server"];
export type PackageUser = PackageVersion["users"][number];
export type RecipeBody = Required<Schemas["PackageVersionCreate"]>;
export type RecipeView = Schemas["RecipeView"];
export type RecipeCheck = Schemas["RecipeCheck"];
export type PackageSettings = Schemas["PackageSettingsView"];
export type PackageCreate = Schemas["PackageCreate"];
