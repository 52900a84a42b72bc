/** A round: what is labelled is published, a new draft begins from it, a model is trained, and may label the rest. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Collapse, Form, InputNumber, Select, Slider, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { useDatasetRefresh } from "@/features/datasets/queries";
import type { DatasetRef } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { CommandLine } from "@/ui/CommandLine";
import { FormModal } from "@/ui/form/FormModal";
import { retrain } from "./api";
import { retrainBody, retrainCommand } from "./loop-values";
import type { RetrainValues } from "./loop-values";
import { algorithmsQuery, loopKey } from "./queries";
import type { Loop } from "./types";

export function RetrainForm({ of, loop, onClose }: { of: DatasetRef; loop: Loop; onClose: () => void }) {
  const { t } = useTranslation("loop");
  const client = useQueryClient();
  const refresh = useDatasetRefresh();
  const isFirst = loop.model === null;
  return (
    <FormModal<RetrainValues>
      title={t(isFirst ? "retrain.first" : "retrain.title", { name: of.dataset })}
      submitText={t(isFirst ? "action.train" : "action.retrain")}
      initialValues={{ minutes: 10, thenAnnotate: true, thresholdPercent: 50 }}
      onSubmit={async (values) => {
        await retrain(of, retrainBody(values));
        await Promise.all([client.invalidateQueries({ queryKey: loopKey(of) }), refresh.dataset(of)]);
      }}
      onClose={onClose}
    >
      <p style={{ marginBottom: 16 }}>{t("retrain.text", { count: loop.labelled })}</p>
      <Form.Item name="minutes" label={t("retrain.minutes")} required extra={t("retrain.minutesHint")} rules={[{ required: true, message: t("retrain.minutesMissing") }]}>
        <InputNumber min={1} max={10_000} precision={0} style={{ width: 160 }} suffix={t("retrain.unit")} />
      </Form.Item>
      <Form.Item name="thenAnnotate" label={t("retrain.thenAnnotate")} required valuePropName="checked" extra={t("retrain.thenAnnotateHint")}>
        <Switch aria-label={t("retrain.thenAnnotate")} />
      </Form.Item>
      <Threshold />
      <AlgorithmField project={of.project} task={loop.task} />
      <Command of={of} />
    </FormModal>
  );
}

function AlgorithmField({ project, task }: { project: string; task: string }) {
  const { t } = useTranslation("loop");
  const found = useQuery(algorithmsQuery(project, task));
  return (
    <Form.Item name="algorithm" label={t("retrain.algorithm")} extra={t("retrain.algorithmHint")}>
      <Select
        allowClear
        loading={found.isPending}
        status={found.isError ? "error" : undefined}
        placeholder={t("retrain.algorithmChosen")}
        showSearch={{ optionFilterProp: "label" }}
        options={(found.data?.items ?? []).map(({ reference, title }) => ({ value: reference, label: `${title} (${reference})` }))}
      />
    </Form.Item>
  );
}

function Threshold() {
  const thenAnnotate = Form.useWatch<boolean>("thenAnnotate");
  return thenAnnotate ? <ThresholdField /> : null;
}

export function ThresholdField() {
  const { t } = useTranslation("auto");
  const format = useFormat();
  const threshold = Form.useWatch<number | undefined>("thresholdPercent") ?? 50;
  return (
    <Form.Item name="thresholdPercent" label={t("how.threshold", { value: format.percent(threshold / 100) })} required extra={t("how.thresholdHint")}>
      <Slider min={0} max={100} step={5} ariaLabelForHandle={t("how.thresholdName")} tooltip={{ formatter: (value) => format.percent((value ?? 0) / 100) }} />
    </Form.Item>
  );
}

function Command({ of }: { of: DatasetRef }) {
  const { t } = useTranslation();
  const values = Form.useWatch<RetrainValues | undefined>([]);
  if (!values) return null;
  return <Collapse ghost size="small" items={[{ key: "command", label: t("make.command"), children: <CommandLine text={retrainCommand(of, values)} /> }]} />;
}
