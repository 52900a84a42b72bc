/** Production and canary beside each other, with what can be changed where it stands. */
import { DeleteOutlined, ExperimentOutlined, ReloadOutlined, RocketOutlined, SwapOutlined } from "@ant-design/icons";
import { Button, InputNumber, Progress, Slider, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { packageVersionPath } from "@/features/packages/queries";
import { useProjectPermission } from "@/features/projects/current-project";
import { parseRef } from "@/features/workloads/asset-ref";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { useConfirm } from "@/ui/confirm";
import { EmptyState } from "@/ui/EmptyState";
import { Facts } from "@/ui/Facts";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { deleteCanary, promoteCanary, restartService, setShare, updateTrack } from "../api";
import type { ServiceRef } from "../api";
import { REPLICAS_MAX } from "../DeployFields";
import { useRefreshServices } from "../queries";
import { ServiceBadge } from "../ServiceBadge";
import type { ServiceView, TrackView } from "../types";
import { CanaryForm, UpdateForm } from "./TrackForms";
import styles from "../Services.module.css";

export function Tracks({ of, service }: { of: ServiceRef; service: ServiceView }) {
  return (
    <div className={styles.tracks}>
      {service.production && <TrackCard of={of} service={service} track={service.production} />}
      {service.canary ? <TrackCard of={of} service={service} track={service.canary} /> : <NoCanary of={of} service={service} />}
    </div>
  );
}

function NoCanary({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation("services");
  const canWrite = useProjectPermission(of.project, "service.write");
  const [isOpen, setOpen] = useState(false);
  const refusal = !canWrite ? t("notAllowed") : service.is_stopped ? t("canary.stopped") : service.production ? undefined : t("canary.noProduction");
  return (
    <section className={styles.track} data-empty>
      <EmptyState
        title={t("canary.none")}
        text={t("canary.noneText")}
        action={
          <Tooltip title={refusal}>
            <Button icon={<ExperimentOutlined aria-hidden />} disabled={refusal !== undefined} onClick={() => setOpen(true)}>
              {t("canary.begin")}
            </Button>
          </Tooltip>
        }
      />
      {isOpen && <CanaryForm of={of} production={service.production} onClose={() => setOpen(false)} />}
    </section>
  );
}

function TrackCard({ of, service, track }: { of: ServiceRef; service: ServiceView; track: TrackView }) {
  const { t } = useTranslation(["services", "training"]);
  const format = useFormat();
  const [isUpdating, setUpdating] = useState(false);
  const actions = useTrackActions(of, service, track, () => setUpdating(true));
  const { name, version } = parseRef(track.package);
  return (
    <section className={styles.track} aria-label={t(`role.${track.role}`)} data-role={track.role}>
      <header className={styles.trackHead}>
        <h2>{t(`role.${track.role}`)}</h2>
        <ServiceBadge of={track} />
        <span className={styles.shareText}>{format.percent(track.share / 100)}</span>
      </header>
      <div className={styles.trackName}>
        {version === null ? track.package : <Link to={packageVersionPath({ project: of.project, package: name, version })}>{track.package}</Link>}
        <span className="tm-muted">{t("deploymentNumber", { number: track.number })}</span>
      </div>
      <Readiness track={track} />
      {track.reason && <p className={styles.reason}>{track.reason}</p>}
      <Facts
        facts={[
          { key: "models", label: t("field.models"), value: track.models.join(", ") || <span className="tm-muted">–</span> },
          { key: "spec", label: t("field.spec"), value: track.spec ?? t("training:defaultSpec") },
          { key: "by", label: t("deployedBy"), value: track.created_by },
          { key: "at", label: t("deployedAt"), value: <RelativeTime at={track.created_at} /> },
          ...(Object.keys(track.environment).length + track.secret_names.length > 0
            ? [{ key: "env", label: t("field.environment"), value: <code className={styles.wrap}>{[...Object.entries(track.environment).map(([key, value]) => `${key}=${value}`), ...track.secret_names.map((key) => `${key}=•••`)].join(" ")}</code> }]
            : []),
        ]}
      />
      <ReplicasStepper of={of} service={service} track={track} />
      {track.role === "canary" && <ShareSlider key={track.share} of={of} track={track} />}
      <div className={styles.trackActions}>
        <ActionButtons actions={actions} />
      </div>
      {isUpdating && <UpdateForm of={of} track={track} onClose={() => setUpdating(false)} />}
    </section>
  );
}

function Readiness({ track }: { track: TrackView }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const percent = track.wanted === 0 ? 0 : Math.round((Math.min(track.ready, track.wanted) / track.wanted) * 100);
  const words = t("readyOf", { ready: format.number(track.ready), wanted: format.number(track.wanted) });
  return (
    <div className={styles.readiness}>
      <Progress percent={percent} showInfo={false} size="small" aria-label={words} />
      <span>{words}</span>
    </div>
  );
}

function useTrackActions(of: ServiceRef, service: ServiceView, track: TrackView, onUpdate: () => void): RowAction[] {
  const { t } = useTranslation("services");
  const canWrite = useProjectPermission(of.project, "service.write");
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const refusal = !canWrite ? t("notAllowed") : service.is_stopped ? t("stoppedFirst") : undefined;
  const ask = (key: "promote" | "canaryDelete" | "restartTrack", call: () => Promise<unknown>, isDanger = false) =>
    confirm({
      title: t(`${key}.title`, { name: track.package }),
      text: t(`${key}.text`),
      okText: t(`${key}.action`),
      isDanger,
      onConfirm: async () => {
        await call();
        await refresh();
        notify.done(t(`${key}.done`, { name: track.package }));
      },
    });
  const update: RowAction = { key: "update", label: t("update.action"), icon: <RocketOutlined aria-hidden />, disabledReason: refusal, onClick: onUpdate };
  const restart: RowAction = { key: "restart", label: t("restartTrack.action"), icon: <ReloadOutlined aria-hidden />, disabledReason: refusal, onClick: () => ask("restartTrack", () => restartService(of, track.role)) };
  if (track.role === "production") return [update, restart];
  const promoteRefusal = refusal ?? (track.ready === 0 ? t("promote.notReady") : undefined);
  return [
    { key: "promote", label: t("promote.action"), icon: <SwapOutlined aria-hidden />, disabledReason: promoteRefusal, onClick: () => ask("promote", () => promoteCanary(of)) },
    { key: "delete", label: t("canaryDelete.action"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: canWrite ? undefined : t("notAllowed"), onClick: () => ask("canaryDelete", () => deleteCanary(of), true) },
    update,
    restart,
  ];
}

/** How many replicas are wanted; asked for only when it is said, not with every step. */
function ReplicasStepper({ of, service, track }: { of: ServiceRef; service: ServiceView; track: TrackView }) {
  const { t } = useTranslation("services");
  const canWrite = useProjectPermission(of.project, "service.write");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [typed, setTyped] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const value = typed ?? track.wanted;
  const refusal = !canWrite ? t("notAllowed") : service.is_stopped ? t("stoppedFirst") : undefined;
  const apply = async () => {
    setBusy(true);
    try {
      await updateTrack(of, track.role, { replicas: value });
      await refresh();
      notify.done(t("scaled", { count: value }));
      setTyped(null);
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.control}>
      <span>{t("field.replicas")}</span>
      <Tooltip title={refusal}>
        <InputNumber mode="spinner" size="small" style={{ width: 120 }} aria-label={t("replicasOf", { role: t(`role.${track.role}`) })} min={0} max={REPLICAS_MAX} precision={0} disabled={refusal !== undefined} value={value} onChange={(next) => setTyped(next)} onPressEnter={() => typed !== null && void apply()} />
      </Tooltip>
      {typed !== null && typed !== track.wanted && (
        <Button size="small" type="primary" loading={isBusy} onClick={() => void apply()}>
          {t("apply")}
        </Button>
      )}
    </div>
  );
}

function ShareSlider({ of, track }: { of: ServiceRef; track: TrackView }) {
  const { t } = useTranslation("services");
  const format = useFormat();
  const canWrite = useProjectPermission(of.project, "service.write");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [share, setOwn] = useState(track.share);
  const apply = async (next: number) => {
    try {
      await setShare(of, next);
      await refresh();
      notify.done(t("share.done", { share: format.percent(next / 100) }));
    } catch (error) {
      setOwn(track.share);
      notify.failed(error);
    }
  };
  return (
    <div className={styles.control}>
      <span>{t("share.label")}</span>
      <Slider className={styles.slider} min={0} max={100} value={share} disabled={!canWrite} ariaLabelForHandle={t("share.label")} tooltip={{ formatter: (value) => format.percent((value ?? 0) / 100) }} onChange={setOwn} onChangeComplete={(next: number) => void apply(next)} />
      <InputNumber size="small" style={{ width: 96 }} aria-label={t("share.exact")} min={0} max={100} disabled={!canWrite} value={share} suffix="%" onChange={(next) => setOwn(next ?? 0)} onPressEnter={() => void apply(share)} onBlur={() => share !== track.share && void apply(share)} />
    </div>
  );
}
