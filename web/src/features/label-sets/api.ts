/** Calls about label sets. */
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import type { DatasetVersionRef } from "@/features/datasets/types";
import type { ListQuery } from "@/ui/list/types";

type Schemas = components["schemas"];

export type LabelSetView = Schemas["LabelSetView"];
export type LabelSetCreate = Schemas["LabelSetCreate"];
export type LabelSetPatch = Schemas["LabelSetPatch"];
export type SetLabel = Schemas["SetLabel-Output"];

const ALL = "/api/v1/projects/{project}/label-sets";
const ONE = "/api/v1/projects/{project}/label-sets/{label_set}";

export function listLabelSets(project: string, { q, sort, limit, cursor }: ListQuery) {
  return unwrap(api.GET(ALL, { params: { path: { project }, query: { q, sort, limit, cursor } } }));
}

export function getLabelSet(project: string, label_set: string) {
  return unwrap(api.GET(ONE, { params: { path: { project, label_set } } }));
}

export function createLabelSet(project: string, body: LabelSetCreate) {
  return unwrap(api.POST(ALL, { params: { path: { project } }, body }));
}

/** With the labels of a version, `name@3`. */
export function saveAsLabelSet(project: string, body: { name: string; description: string; version: string }) {
  return unwrap(api.POST(`${ALL}/from-version`, { params: { path: { project } }, body }));
}

export function updateLabelSet(project: string, label_set: string, body: LabelSetPatch) {
  return unwrap(api.PATCH(ONE, { params: { path: { project, label_set } }, body }));
}

export function deleteLabelSet(project: string, label_set: string) {
  return unwrap(api.DELETE(ONE, { params: { path: { project, label_set } } }));
}

/** Its labels are added to the version's; those that are there already stay as they are. */
export function applyLabelSet({ project, dataset, version }: DatasetVersionRef, label_set: string) {
  return unwrap(api.POST("/api/v1/projects/{project}/datasets/{dataset}/versions/{version}/labels/apply", { params: { path: { project, dataset, version: String(version) } }, body: { label_set } }));
}
