/** When something is told, and when the canary loses its traffic by itself. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, InputNumber, Select, Switch, Table, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { Panel } from "@/ui/Facts";
import { useFormSubmit } from "@/ui/form/form-submit";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { Problem } from "@/ui/Problem";
import { RelativeTime } from "@/ui/RelativeTime";
import { TableBox } from "@/ui/ScrollBox";
import { StateBadge } from "@/ui/StateBadge";
import { updateService } from "./api";
import type { ServiceRef } from "./api";
import { alertsQuery, useRefreshServices } from "./queries";
import { METRICS, newAlert, patchOf, valuesOf } from "./rule-values";
import type { RuleValues } from "./rule-values";
import type { AlertView, ServiceView } from "./types";
import styles from "./Services.module.css";

const RULES_MAX = 20;

export function RulesTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation(["services", "common"]);
  const canWrite = useProjectPermission(of.project, "service.write");
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [form] = Form.useForm<RuleValues>();
  const { submit, isBusy, problem } = useFormSubmit(form, async () => {
    await updateService(of, patchOf(form.getFieldsValue(true) as RuleValues));
    await refresh();
    notify.done(t("common:saved"));
  });
  return (
    <>
      <Form<RuleValues> form={form} layout="vertical" requiredMark="optional" initialValues={valuesOf(service)} disabled={!canWrite} onFinish={(values) => void submit(values)}>
        <Panel title={t("rules.alerts")}>
          <p className={styles.about}>{t("rules.alertsText")}</p>
          <AlertFields />
        </Panel>
        <Panel title={t("rules.rollback")}>
          <p className={styles.about}>{t("rules.rollbackText")}</p>
          <RollbackFields />
        </Panel>
        {problem && <Problem className={styles.banner} problem={problem} />}
        <Tooltip title={canWrite ? undefined : t("notAllowed")}>
          <Button type="primary" htmlType="submit" loading={isBusy} className={styles.banner}>
            {t("rules.save")}
          </Button>
        </Tooltip>
      </Form>
      <AlertHistory of={of} />
    </>
  );
}

function AlertFields() {
  const { t } = useTranslation("services");
  const rows = (Form.useWatch("alerts", { preserve: true }) as RuleValues["alerts"] | undefined) ?? [];
  const needed = [{ required: true, message: t("rules.missing") }];
  return (
    <Form.List name="alerts">
      {(fields, { add, remove }) => (
        <>
          {fields.map((field) => {
            const isRate = rows[field.name]?.metric === "error_rate";
            return (
              <div key={field.key} className={styles.rule} role="group" aria-label={t("rules.number", { number: field.name + 1 })}>
                <Form.Item name={[field.name, "metric"]} label={t("rules.metric")} rules={needed}>
                  <Select options={METRICS.map((value) => ({ value, label: t(`rules.of.${value}`) }))} />
                </Form.Item>
                <Form.Item name={[field.name, "above"]} label={t("rules.above")} rules={needed}>
                  <InputNumber min={0} max={isRate ? 100 : 10_000_000} suffix={isRate ? "%" : t("unit.ms")} style={{ width: "100%" }} />
                </Form.Item>
                <Form.Item name={[field.name, "window_s"]} label={t("rules.window")} rules={needed}>
                  <InputNumber min={10} max={3600} precision={0} suffix={t("unit.s")} style={{ width: "100%" }} />
                </Form.Item>
                <Form.Item name={[field.name, "for_s"]} label={t("rules.for")} rules={needed}>
                  <InputNumber min={0} max={86_400} precision={0} suffix={t("unit.s")} style={{ width: "100%" }} />
                </Form.Item>
                <Form.Item name={[field.name, "role"]} label={t("rules.role")}>
                  <Select
                    options={[
                      { value: "", label: t("rules.whole") },
                      { value: "production", label: t("role.production") },
                      { value: "canary", label: t("role.canary") },
                    ]}
                  />
                </Form.Item>
                <Form.Item name={[field.name, "requests"]} label={t("rules.requests")} rules={needed}>
                  <InputNumber min={1} max={1_000_000} precision={0} style={{ width: "100%" }} />
                </Form.Item>
                <IconButton className={styles.ruleRemove} icon={<DeleteOutlined aria-hidden />} label={t("rules.remove", { number: field.name + 1 })} onClick={() => remove(field.name)} />
              </div>
            );
          })}
          <Tooltip title={fields.length >= RULES_MAX ? t("rules.most", { max: RULES_MAX }) : undefined}>
            <Button type="dashed" icon={<PlusOutlined aria-hidden />} disabled={fields.length >= RULES_MAX || undefined} onClick={() => add(newAlert())}>
              {t("rules.add")}
            </Button>
          </Tooltip>
        </>
      )}
    </Form.List>
  );
}

function RollbackFields() {
  const { t } = useTranslation("services");
  const isOn = (Form.useWatch("hasRollback", { preserve: true }) as boolean | undefined) ?? false;
  return (
    <>
      <Form.Item name="hasRollback" label={t("rules.rollbackOn")} valuePropName="checked">
        <Switch />
      </Form.Item>
      {isOn && (
        <div className={styles.rule}>
          <Form.Item
            name={["rollback", "error_rate"]}
            label={t("rules.rollbackErrors")}
            dependencies={[["rollback", "p99_ms"]]}
            rules={[({ getFieldValue }) => ({ validator: (_rule, value: number | null) => (value !== null && value !== undefined) || getFieldValue(["rollback", "p99_ms"]) ? Promise.resolve() : Promise.reject(new Error(t("rules.rollbackEmpty"))) })]}
          >
            <InputNumber min={0} max={100} suffix="%" style={{ width: "100%" }} placeholder={t("rules.notLooked")} />
          </Form.Item>
          <Form.Item name={["rollback", "p99_ms"]} label={t("rules.rollbackP99")}>
            <InputNumber min={0.001} max={10_000_000} suffix={t("unit.ms")} style={{ width: "100%" }} placeholder={t("rules.notLooked")} />
          </Form.Item>
          <Form.Item name={["rollback", "window_s"]} label={t("rules.window")} rules={[{ required: true, message: t("rules.missing") }]}>
            <InputNumber min={10} max={3600} precision={0} suffix={t("unit.s")} style={{ width: "100%" }} />
          </Form.Item>
          <Form.Item name={["rollback", "requests"]} label={t("rules.requests")} rules={[{ required: true, message: t("rules.missing") }]}>
            <InputNumber min={1} max={1_000_000} precision={0} style={{ width: "100%" }} />
          </Form.Item>
        </div>
      )}
    </>
  );
}

function AlertHistory({ of }: { of: ServiceRef }) {
  const { t } = useTranslation("services");
  const alerts = useQuery(alertsQuery(of)).data?.items ?? [];
  if (alerts.length === 0) return null;
  return (
    <Panel title={t("alerts.history")}>
      <TableBox label={t("alerts.history")}>
        <Table<AlertView>
          size="small"
          rowKey="id"
          pagination={false}
          dataSource={alerts}
          columns={[
            { key: "state", title: t("alerts.state"), render: (_, alert) => <StateBadge tone={alert.state === "open" ? "stopping" : "completed"} text={t(`alerts.${alert.state}State`)} /> },
            { key: "text", title: t("alerts.what"), render: (_, alert) => alert.text },
            { key: "opened", title: t("alerts.opened"), render: (_, alert) => <RelativeTime at={alert.opened_at} /> },
            { key: "closed", title: t("alerts.closed"), render: (_, alert) => <RelativeTime at={alert.closed_at} /> },
          ]}
        />
      </TableBox>
    </Panel>
  );
}
