/** Short names for the wire types of images. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type ImageView = Schemas["ImageView"];
export type ImageContents = Schemas["ImageContentsView"];
export type ImageLayer = ImageContents["layers"][number];
export type ImageKind = ImageView["kind"];
export type ImageState = ImageView["state"];

export interface NewImage {
  name: string;
  version: string;
  description: string;
}
