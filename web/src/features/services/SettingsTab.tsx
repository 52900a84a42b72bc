import { Button, Form, Radio, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { Panel } from "@/ui/Facts";
import { useFormSubmit } from "@/ui/form/form-submit";
import { useNotify } from "@/ui/notify";
import { Problem } from "@/ui/Problem";
import { AccessField, LimitFields } from "./AccessFields";
import { updateService } from "./api";
import type { ServiceRef } from "./api";
import { useRefreshServices } from "./queries";
import type { ServicePatch, ServiceView } from "./types";
import styles from "./Services.module.css";

type Values = Pick<ServiceView, "access" | "cors" | "body_max_bytes" | "timeout_s" | "rate_per_s"> & { retry_posts: "auto" | "yes" | "no" };

const RETRY = { auto: null, yes: true, no: false } as const;

export function SettingsTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation(["services", "common"]);
  const canWrite = useProjectPermission(of.project, "service.write");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [form] = Form.useForm<Values>();
  const { submit, isBusy, problem } = useFormSubmit(form, async ({ retry_posts: retry, ...values }: Values) => {
    await updateService(of, { ...values, rate_per_s: values.rate_per_s ?? null, retry_posts: RETRY[retry] } satisfies ServicePatch);
    await refresh();
    notify.done(t("common:saved"));
  });
  const initial: Values = { ...service, retry_posts: service.retry_posts === null ? "auto" : service.retry_posts ? "yes" : "no" };
  return (
    <Panel>
      <Form<Values> className={styles.form} form={form} layout="vertical" requiredMark="optional" initialValues={initial} disabled={!canWrite} onFinish={(values) => void submit(values)}>
        <AccessField />
        <LimitFields />
        <Form.Item name="retry_posts" label={t("field.retry")} extra={t("hint.retry")}>
          <Radio.Group options={(["auto", "yes", "no"] as const).map((value) => ({ value, label: t(`retry.${value}`) }))} />
        </Form.Item>
        {problem && <Problem problem={problem} />}
        <Tooltip title={canWrite ? undefined : t("notAllowed")}>
          <Button type="primary" htmlType="submit" loading={isBusy}>
            {t("common:action.save")}
          </Button>
        </Tooltip>
      </Form>
    </Panel>
  );
}
