import type { components } from "@/api/schema";

/** A well-known model that can be installed. */
export type CatalogueEntry = components["schemas"]["CatalogueEntry"];
