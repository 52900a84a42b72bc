/** Format, metrics and signature of a model version, typed by hand where nothing wrote them. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { patchVersion } from "./api";
import { refOf } from "./asset-actions";
import { useRefresh } from "./queries";
import { parseShape, shapeInput } from "./shapes";
import type { AssetView, Tensor, VersionView } from "./types";
import styles from "./Assets.module.css";

interface TensorValues {
  name: string;
  type: string;
  shape: string;
}

interface Values {
  format: string;
  metrics: { name: string; value: number }[];
  inputs: TensorValues[];
  outputs: TensorValues[];
}

export function ModelFactsForm({ asset, version, onClose }: { asset: AssetView; version: VersionView; onClose: () => void }) {
  const { t } = useTranslation(["assets", "common"]);
  const notify = useNotify();
  const refresh = useRefresh();
  const ref = { ...refOf(asset), version: version.number };
  return (
    <FormModal<Values>
      title={t("facts.editTitle", { name: version.name })}
      submitText={t("common:action.save")}
      width={680}
      initialValues={{
        format: version.format ?? "",
        metrics: Object.entries(version.metrics).map(([name, value]) => ({ name, value })),
        inputs: version.signature?.inputs?.map(toValues) ?? [],
        outputs: version.signature?.outputs?.map(toValues) ?? [],
      }}
      onSubmit={async ({ format, metrics, inputs, outputs }) => {
        await patchVersion(ref, {
          format: format.trim() || null,
          metrics: Object.fromEntries(metrics.map(({ name, value }) => [name.trim(), value])),
          signature: inputs.length + outputs.length === 0 ? null : { inputs: inputs.map(toTensor), outputs: outputs.map(toTensor) },
        });
        await refresh.asset(ref);
        notify.done(t("common:saved"));
      }}
      onClose={onClose}
    >
      <Form.Item name="format" label={t("facts.format")} extra={t("facts.formatHint")} rules={[{ pattern: /^[a-z0-9][a-z0-9+._-]*$/, message: t("facts.formatRule") }]}>
        <Input maxLength={50} autoComplete="off" placeholder="onnx" style={{ maxWidth: 240 }} />
      </Form.Item>
      <h3>{t("facts.metrics")}</h3>
      <MetricsFields />
      <TensorFields name="inputs" title={t("facts.inputs")} />
      <TensorFields name="outputs" title={t("facts.outputs")} />
    </FormModal>
  );
}

function MetricsFields() {
  const { t } = useTranslation(["assets", "common"]);
  return (
    <Form.List name="metrics">
      {(fields, { add, remove }) => (
        <div style={{ marginBottom: 16 }}>
          {fields.map((field) => (
            <div key={field.key} className={styles.line}>
              <Form.Item noStyle name={[field.name, "name"]} rules={[{ required: true, whitespace: true, message: t("facts.metricName") }]}>
                <Input maxLength={50} aria-label={t("facts.metricName")} placeholder="accuracy" />
              </Form.Item>
              <Form.Item noStyle name={[field.name, "value"]} rules={[{ required: true, message: t("facts.metricValue") }]}>
                <InputNumber aria-label={t("facts.metricValue")} placeholder="0.93" style={{ width: 160 }} />
              </Form.Item>
              <IconButton icon={<DeleteOutlined aria-hidden />} label={t("facts.removeLine")} onClick={() => remove(field.name)} />
            </div>
          ))}
          <Button size="small" type="dashed" icon={<PlusOutlined aria-hidden />} onClick={() => add()}>
            {t("facts.addMetric")}
          </Button>
        </div>
      )}
    </Form.List>
  );
}

function TensorFields({ name, title }: { name: "inputs" | "outputs"; title: string }) {
  const { t } = useTranslation(["assets", "common"]);
  const shapeRule = { validator: (_: unknown, value?: string) => (parseShape(value ?? "") === undefined ? Promise.reject(new Error(t("facts.shapeRule"))) : Promise.resolve()) };
  return (
    <>
      <h3>{title}</h3>
      <Form.List name={name}>
        {(fields, { add, remove }) => (
          <div style={{ marginBottom: 16 }}>
            {fields.map((field) => (
              <div key={field.key} className={styles.line}>
                <Form.Item noStyle name={[field.name, "name"]} rules={[{ required: true, message: t("facts.tensorName") }]}>
                  <Input maxLength={200} aria-label={t("facts.tensorName")} placeholder={t("facts.tensorName")} />
                </Form.Item>
                <Form.Item noStyle name={[field.name, "type"]} rules={[{ required: true, message: t("facts.type") }]}>
                  <Input maxLength={50} aria-label={t("facts.type")} placeholder="float32" style={{ width: 140 }} />
                </Form.Item>
                <Form.Item name={[field.name, "shape"]} rules={[shapeRule]} style={{ margin: 0 }}>
                  <Input aria-label={t("facts.shape")} placeholder="?, 3, 224, 224" style={{ width: 180 }} />
                </Form.Item>
                <IconButton icon={<DeleteOutlined aria-hidden />} label={t("facts.removeLine")} onClick={() => remove(field.name)} />
              </div>
            ))}
            <Button size="small" type="dashed" icon={<PlusOutlined aria-hidden />} onClick={() => add({ type: "float32", shape: "" })}>
              {t("facts.addTensor")}
            </Button>
          </div>
        )}
      </Form.List>
    </>
  );
}

function toValues(tensor: Tensor): TensorValues {
  return { name: tensor.name, type: tensor.type, shape: shapeInput(tensor.shape) };
}

function toTensor({ name, type, shape }: TensorValues): Tensor {
  return { name: name.trim(), type: type.trim(), shape: parseShape(shape) ?? null };
}
