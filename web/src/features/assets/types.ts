/** Short names for the wire types of assets. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type AssetView = Schemas["AssetView"];
export type AssetCreate = Schemas["AssetCreate"];
export type VersionView = Schemas["VersionView"];
export type VersionPatch = Schemas["VersionPatch"];
export type ReferenceView = Schemas["ReferenceView"];
export type Tensor = Schemas["Tensor"];
export type LineageView = Schemas["LineageView"];
export type LineageNode = LineageView["nodes"][number];
export type LineageEdge = Schemas["EdgeView"];
export type EntryView = Schemas["EntryView"];
export type ChangeView = Schemas["ChangeView"];
