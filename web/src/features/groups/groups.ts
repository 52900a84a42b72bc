import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { GroupView } from "@/api/types";
import type { ListLoader } from "@/ui/list/types";

export const groupsKey = ["groups"] as const;

export const loadGroups: ListLoader<GroupView> = ({ q, sort, limit, cursor }) => unwrap(api.GET("/api/v1/groups", { params: { query: { q, sort, limit, cursor } } }));

export const groupQuery = (group: string) =>
  queryOptions({
    queryKey: [...groupsKey, "one", group],
    queryFn: () => unwrap(api.GET("/api/v1/groups/{group}", { params: { path: { group } } })),
  });

export function groupPath(group: string): string {
  return `/admin/groups/${encodeURIComponent(group)}`;
}

export const deleteGroup = (group: string) => unwrap(api.DELETE("/api/v1/groups/{group}", { params: { path: { group } } }));

export const addToGroup = (group: string, user: string) => unwrap(api.PUT("/api/v1/groups/{group}/members/{user}", { params: { path: { group, user } } }));

export const removeFromGroup = (group: string, user: string) =>
  unwrap(api.DELETE("/api/v1/groups/{group}/members/{user}", { params: { path: { group, user } } }));
