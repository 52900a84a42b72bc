import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { RoleView } from "@/api/types";
import type { ListLoader } from "@/ui/list/types";

export const rolesKey = ["roles"] as const;

export const loadRoles: ListLoader<RoleView> = ({ q, sort, limit, cursor }) => unwrap(api.GET("/api/v1/roles", { params: { query: { q, sort, limit, cursor } } }));

export const roleQuery = (role: string) =>
  queryOptions({
    queryKey: [...rolesKey, "one", role],
    queryFn: () => unwrap(api.GET("/api/v1/roles/{role}", { params: { path: { role } } })),
  });

export const permissionsQuery = queryOptions({
  queryKey: ["permissions"],
  queryFn: () => unwrap(api.GET("/api/v1/permissions")),
  staleTime: Infinity,
});

export function rolePath(role: string): string {
  return `/admin/roles/${encodeURIComponent(role)}`;
}

/** Roles that can be given in a project. */
export function useProjectRoles() {
  return useQuery({
    queryKey: [...rolesKey, "project"],
    queryFn: async () => (await loadRoles({ sort: "name", limit: 200, filters: {} })).items.filter((role) => role.scope === "project"),
    staleTime: 60_000,
  });
}

/** Built-in roles, resources and actions have names in the user's language; what others added is shown as it is called. */
export function useRoleTexts() {
  const { t, i18n } = useTranslation("roles");
  const known = (group: "builtin" | "builtinText" | "resource" | "action", key: string, other: string) =>
    i18n.exists(`${group}.${key}`, { ns: "roles" }) ? t(`${group}.${key}` as "builtin.owner") : other;
  return {
    nameOf: (role: { name: string; builtin: boolean }) => (role.builtin ? known("builtin", role.name, role.name) : role.name),
    descriptionOf: (role: { name: string; builtin: boolean; description: string }) => role.description || (role.builtin ? known("builtinText", role.name, "") : ""),
    resource: (resource: string) => known("resource", resource, resource),
    action: (action: string) => known("action", action, action),
  };
}
