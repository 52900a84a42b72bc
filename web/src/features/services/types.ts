/** Short names for the wire types of online services. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type ServiceView = Schemas["ServiceView"];
export type ServiceState = ServiceView["state"];
export type TrackView = Schemas["TrackView"];
export type Traffic = ServiceView["traffic"];
export type Role = TrackView["role"];
export type ReplicaView = Schemas["ReplicaView"];
export type ReplicaState = ReplicaView["state"];
export type AlertRule = ServiceView["alerts"][number];
export type AlertMetric = AlertRule["metric"];
export type RollbackRule = NonNullable<ServiceView["rollback"]>;
export type AlertView = Schemas["AlertView"];
export type KeyView = Schemas["KeyView"];
export type KeyCreated = Schemas["KeyCreated"];
export type ShadowView = Schemas["ShadowView"];
export type DeploymentView = Schemas["DeploymentView"];
export type ServiceEvent = Schemas["ServiceEventView"];
export type TestAnswer = Schemas["TestView"];
export type Snippet = Schemas["SnippetView"];
export type ServiceCreate = Schemas["ServiceCreate"];
export type ServicePatch = Schemas["ServicePatch"];
export type TrackPatch = Schemas["TrackPatch"];
export type CanaryPut = Schemas["CanaryPut"];
export type MetricsView = Schemas["ServiceMetricsView"];
export type Series = MetricsView["series"][number];
export type MetricPoint = Series["points"][number];

/** What is put behind a service: a package, a model version, or a finished run's model. */
export type DeploySource = { package: string } | { model: string } | { run: string };
