/** The canary is shown what production is asked, and its answers are compared; nobody gets them. */
import { useQuery } from "@tanstack/react-query";
import { Button, InputNumber, Table, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Facts, Panel } from "@/ui/Facts";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { startShadow, stopShadow } from "./api";
import type { ServiceRef } from "./api";
import { shadowsQuery, useRefreshServices } from "./queries";
import type { ServiceView, ShadowView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Services.module.css";

type Difference = ShadowView["differences"][number];

export function ShadowTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const shadows = useQuery(shadowsQuery(of));
  if (shadows.isPending) return <Loading />;
  if (shadows.isError) return <ErrorState error={shadows.error} onRetry={() => void shadows.refetch()} />;
  const { items } = shadows.data;
  return (
    <>
      <ShadowSwitch of={of} service={service} />
      {items.length === 0 && <EmptyState title={t("shadow.none")} text={t("shadow.noneText")} />}
      {items.map((report) => (
        <Report key={report.id} report={report} />
      ))}
    </>
  );
}

function ShadowSwitch({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const canWrite = useProjectPermission(of.project, "service.write");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [percent, setPercent] = useState(100);
  const [isBusy, setBusy] = useState(false);
  const isOn = service.shadow_percent !== null;
  const refusal = !canWrite ? t("notAllowed") : !isOn && service.canary === null ? t("shadow.noCanary") : undefined;
  const act = async (call: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await call();
      await refresh();
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title={t("shadow.title")}>
      <p className={styles.about}>{t("shadow.text")}</p>
      <div className={surfaces.line}>
        {isOn ? (
          <>
            <span>{t("shadow.on", { percent: format.percent((service.shadow_percent ?? 0) / 100) })}</span>
            <Tooltip title={refusal}>
              <Button loading={isBusy} disabled={refusal !== undefined} onClick={() => void act(() => stopShadow(of))}>
                {t("shadow.stop")}
              </Button>
            </Tooltip>
          </>
        ) : (
          <>
            <InputNumber aria-label={t("shadow.percent")} min={1} max={100} value={percent} suffix="%" style={{ width: 110 }} onChange={(next) => setPercent(next ?? 100)} />
            <Tooltip title={refusal}>
              <Button loading={isBusy} disabled={refusal !== undefined} onClick={() => void act(() => startShadow(of, percent))}>
                {t("shadow.start")}
              </Button>
            </Tooltip>
          </>
        )}
      </div>
    </Panel>
  );
}

function Report({ report }: { report: ShadowView }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const ms = (value: number | null) => (value === null ? "–" : t("ms", { value: format.decimal(value, 1) }));
  const agreed = report.requests === 0 ? "–" : format.percent(report.same / report.requests);
  return (
    <Panel title={t("shadow.report", { production: report.production_number, canary: report.canary_number })}>
      <Facts
        facts={[
          { key: "started", label: t("shadow.started"), value: <RelativeTime at={report.started_at} /> },
          { key: "ended", label: t("shadow.ended"), value: report.ended_at ? <RelativeTime at={report.ended_at} /> : t("shadow.running") },
          { key: "requests", label: t("shadow.requests"), value: format.number(report.requests) },
          { key: "same", label: t("shadow.same"), value: `${format.number(report.same)} (${agreed})` },
          { key: "different", label: t("shadow.different"), value: format.number(report.different) },
          { key: "failed", label: t("shadow.failed"), value: format.number(report.failed) },
          { key: "skipped", label: t("shadow.skipped"), value: format.number(report.skipped) },
          { key: "ms", label: t("shadow.latency"), value: `${ms(report.production_mean_ms)} → ${ms(report.canary_mean_ms)}` },
        ]}
      />
      {report.differences.length > 0 && <h3 className={styles.subtitle}>{t("shadow.differences")}</h3>}
      {report.differences.length > 0 && (
        <TableBox label={t("shadow.differences")}>
          <Table<Difference>
            size="small"
            rowKey={(one) => one.request_id}
            pagination={false}
            dataSource={report.differences}
            columns={[
              { key: "at", title: t("shadow.at"), render: (_, one) => <RelativeTime at={one.at} /> },
              { key: "request", title: t("shadow.request"), render: (_, one) => <code>{`${one.method} ${one.path}`}</code> },
              { key: "status", title: t("shadow.status"), render: (_, one) => `${one.production_status} → ${one.canary_status ?? "–"}` },
              { key: "ms", title: t("shadow.took"), render: (_, one) => `${ms(one.production_ms)} → ${ms(one.canary_ms)}` },
              { key: "id", title: t("shadow.id"), render: (_, one) => <code>{one.request_id}</code> },
            ]}
          />
        </TableBox>
      )}
    </Panel>
  );
}
