import { Checkbox, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { PermissionView } from "@/api/types";
import { ErrorState } from "@/ui/ErrorState";
import { permissionsQuery, useRoleTexts } from "./roles";
import styles from "./Roles.module.css";

interface PermissionMatrixProps {
  value?: string[];
  onChange?: (permissions: string[]) => void;
  scope: PermissionView["scope"];
  isReadOnly?: boolean;
}

/** Resources down, actions across; a whole row can be ticked at once. */
export function PermissionMatrix({ value = [], onChange, scope, isReadOnly = false }: PermissionMatrixProps) {
  const { t } = useTranslation("roles");
  const texts = useRoleTexts();
  const query = useQuery(permissionsQuery);
  if (query.isPending) return <Skeleton active />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;

  const all = query.data.filter((permission) => permission.scope === scope);
  const resources = groupByResource(all);
  const set = (names: string[], isOn: boolean) => onChange?.(isOn ? [...new Set([...value, ...names])] : value.filter((name) => !names.includes(name)));
  return (
    <div className={styles.matrix} role="group" aria-label={t("permissions")}>
      {[...resources].map(([resource, permissions]) => {
        const names = permissions.map((one) => one.permission);
        const ticked = names.filter((name) => value.includes(name)).length;
        return (
          <Fragment key={resource}>
            <Checkbox className={styles.resource} disabled={isReadOnly} checked={ticked === names.length} indeterminate={ticked > 0 && ticked < names.length} onChange={(event) => set(names, event.target.checked)}>
              {texts.resource(resource)}
            </Checkbox>
            <div className={styles.actions}>
              {permissions.map((one) => (
                <Checkbox
                  key={one.permission}
                  disabled={isReadOnly}
                  checked={value.includes(one.permission)}
                  aria-label={`${texts.resource(resource)}: ${texts.action(one.action)}`}
                  title={one.permission}
                  onChange={(event) => set([one.permission], event.target.checked)}
                >
                  {texts.action(one.action)}
                </Checkbox>
              ))}
            </div>
          </Fragment>
        );
      })}
    </div>
  );
}

function groupByResource(permissions: PermissionView[]): Map<string, PermissionView[]> {
  const groups = new Map<string, PermissionView[]>();
  for (const one of permissions) groups.set(one.resource, [...(groups.get(one.resource) ?? []), one]);
  return groups;
}
