/** Short names for the wire types of training. */
import type { components, paths } from "@/api/schema";

type Schemas = components["schemas"];

export type TaskSettings = Schemas["SettingsView"];
export type TaskView = Schemas["TaskView"];
export type TaskBody = Required<Schemas["TaskCreate"]>;
export type RunView = Schemas["RunView"];
export type Launcher = TaskSettings["launcher"];
export type Priority = TaskSettings["priority"];
export type ParameterValue = boolean | number | string | null;
export type Series = paths["/api/v1/projects/{project}/runs/{run}/metrics"]["get"]["responses"]["200"]["content"]["application/json"]["series"][number];
/** Step, value, milliseconds since 1970. */
export type MetricPoint = Series["points"][number];
export type RunFile = Schemas["RunFileView"];
