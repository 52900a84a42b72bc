/** What the form of rules holds: shares in percent, as people say them; the server has them from 0 to 1. */
import type { AlertMetric, AlertRule, Role, RollbackRule, ServicePatch, ServiceView } from "./types";

export interface AlertValues {
  id: string | null;
  metric: AlertMetric;
  above: number;
  window_s: number;
  for_s: number;
  /** Nothing: of the whole service. */
  role: Role | "";
  requests: number;
}

export interface RuleValues {
  alerts: AlertValues[];
  hasRollback: boolean;
  rollback: { error_rate: number | null; p99_ms: number | null; requests: number; window_s: number };
}

const LABELS: Record<AlertMetric, true> = { error_rate: true, p50_ms: true, p90_ms: true, p99_ms: true };
export const METRICS = Object.keys(LABELS) as AlertMetric[];

export const newAlert = (): AlertValues => ({ id: null, metric: "error_rate", above: 5, window_s: 60, for_s: 0, role: "", requests: 10 });

export function valuesOf({ alerts, rollback }: Pick<ServiceView, "alerts" | "rollback">): RuleValues {
  return {
    alerts: alerts.map(alertValues),
    hasRollback: rollback !== null,
    rollback: {
      error_rate: rollback ? percent(rollback.error_rate) : 5,
      p99_ms: rollback?.p99_ms ?? null,
      requests: rollback?.requests ?? 20,
      window_s: rollback?.window_s ?? 60,
    },
  };
}

export function patchOf({ alerts, hasRollback, rollback }: RuleValues): ServicePatch {
  return { alerts: alerts.map(alertBody), rollback: hasRollback ? rollbackBody(rollback) : null };
}

function alertValues(rule: AlertRule): AlertValues {
  return {
    id: rule.id ?? null,
    metric: rule.metric,
    above: rule.metric === "error_rate" ? (percent(rule.above) ?? 0) : rule.above,
    window_s: rule.window_s ?? 60,
    for_s: rule.for_s ?? 0,
    role: rule.role ?? "",
    requests: rule.requests ?? 1,
  };
}

function alertBody(values: AlertValues): AlertRule {
  return { ...values, above: values.metric === "error_rate" ? values.above / 100 : values.above, role: values.role || null };
}

function rollbackBody(values: RuleValues["rollback"]): RollbackRule {
  return { error_rate: share(values.error_rate), p99_ms: values.p99_ms ?? null, requests: values.requests, window_s: values.window_s };
}

function percent(rate: number | null | undefined): number | null {
  return rate === null || rate === undefined ? null : Math.round(rate * 1e6) / 1e4;
}

function share(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : value / 100;
}
