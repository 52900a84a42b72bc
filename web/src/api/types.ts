/** Short names for the wire types of the generated schema. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type MeView = Schemas["MeView"];
export type SessionView = Schemas["SessionView"];
export type TokenView = Schemas["TokenView"];
export type TokenCreated = Schemas["TokenCreated"];
export type NotificationView = Schemas["NotificationView"];
export type JobView = Schemas["JobView"];
export type UserView = Schemas["Page_UserView_"]["items"][number];
export type UserKind = UserView["kind"];
export type GroupView = Schemas["GroupView"];
export type RoleView = Schemas["RoleView"];
export type PermissionView = Schemas["PermissionView"];
export type ProjectView = Schemas["ProjectView"];
export type MembershipView = Schemas["MembershipView"];
export type CandidateView = Schemas["CandidateView"];
export type AuditView = Schemas["AuditView"];
export type WebhookView = Schemas["WebhookView"];
export type DeliveryView = Schemas["DeliveryView"];
export type SystemView = Schemas["SystemView"];
export type MetaView = Schemas["MetaView"];
export type FoundView = Schemas["FoundView"];

/** One page of a keyset-paged list. */
export interface Page<T> {
  items: T[];
  next?: string | null;
  total: number;
  total_capped: boolean;
}
