import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { UserKind, UserView } from "@/api/types";
import type { ListLoader } from "@/ui/list/types";

export const usersKey = ["users"] as const;
export const USER_KINDS: UserKind[] = ["administrator", "member", "annotator"];

export const loadUsers: ListLoader<UserView> = ({ filters, ...query }) =>
  unwrap(api.GET("/api/v1/users", { params: { query: { ...query, kind: parseKind(filters.kind) } } }));

export const userQuery = (user: string) =>
  queryOptions({
    queryKey: [...usersKey, "one", user],
    queryFn: () => unwrap(api.GET("/api/v1/users/{user}", { params: { path: { user } } })),
  });

export function userPath(user: string): string {
  return `/admin/users/${encodeURIComponent(user)}`;
}

export const deleteUser = (user: string) => unwrap(api.DELETE("/api/v1/users/{user}", { params: { path: { user } } }));

export const setDisabled = (user: string, disabled: boolean) =>
  unwrap(api.PATCH("/api/v1/users/{user}", { params: { path: { user } }, body: { disabled } }));

export const endSessions = (user: string) => unwrap(api.DELETE("/api/v1/users/{user}/sessions", { params: { path: { user } } }));

function parseKind(value: string | undefined): UserKind | undefined {
  return USER_KINDS.find((kind) => kind === value);
}
