import { Form, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { putCanary, updateTrack } from "../api";
import type { ServiceRef } from "../api";
import { SizeFields, SourceFields, VariablesFields } from "../DeployFields";
import { useRefreshServices } from "../queries";
import { deployBody, deployOf, environmentOf, keptSecrets, secretChanges, sourceBody } from "../service-values";
import type { DeployValues } from "../service-values";
import type { TrackView } from "../types";

const SHARE = 10;

/** Something else for a part of the traffic. */
export function CanaryForm({ of, production, onClose }: { of: ServiceRef; production: TrackView | null; onClose: () => void }) {
  const { t } = useTranslation("services");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const initial = { ...deployOf(null), kind: production?.model ? ("model" as const) : ("package" as const), spec: production?.spec ?? null, share: SHARE };
  return (
    <FormModal<DeployValues & { share: number }>
      title={t("canary.title", { name: of.service })}
      submitText={t("canary.begin")}
      initialValues={initial}
      width={600}
      onSubmit={async (values) => {
        await putCanary(of, { ...deployBody({ ...initial, ...values }), share: values.share });
        await refresh();
        notify.done(t("canary.begun"));
      }}
      onClose={onClose}
    >
      <SourceFields project={of.project} />
      <Form.Item name="share" label={t("share.label")} required extra={t("share.hint")} rules={[{ required: true, message: t("share.missing") }]}>
        <InputNumber min={0} max={100} suffix="%" style={{ width: 160 }} />
      </Form.Item>
      <SizeFields />
      <VariablesFields />
    </FormModal>
  );
}

/** Another package, spec or environment on the same track: new replicas are ready before old ones go. */
export function UpdateForm({ of, track, onClose }: { of: ServiceRef; track: TrackView; onClose: () => void }) {
  const { t } = useTranslation("services");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const initial: DeployValues = {
    ...deployOf({ package: track.package }),
    spec: track.spec,
    replicas: track.wanted,
    environment: Object.entries(track.environment).map(([name, value]) => ({ name, value })),
    secrets: keptSecrets(track.secret_names),
  };
  return (
    <FormModal<DeployValues>
      title={t("update.title", { name: track.package })}
      submitText={t("update.submit")}
      initialValues={initial}
      width={600}
      onSubmit={async (values) => {
        const next = { ...initial, ...values };
        const isSame = next.kind === "package" && next.package === track.package;
        const secrets = secretChanges(track.secret_names, next.secrets);
        await updateTrack(of, track.role, { ...(isSame ? {} : sourceBody(next)), spec: next.spec, replicas: next.replicas, environment: environmentOf(next.environment), secrets });
        await refresh();
        notify.done(t("update.done"));
      }}
      onClose={onClose}
    >
      <p className="tm-muted" style={{ marginBottom: 16 }}>
        {t("update.text")}
      </p>
      <SourceFields project={of.project} />
      <SizeFields />
      <VariablesFields />
    </FormModal>
  );
}
