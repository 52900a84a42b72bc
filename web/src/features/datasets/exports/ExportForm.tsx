import { useQuery } from "@tanstack/react-query";
import { Alert, Collapse, Form, InputNumber, Radio, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { CommandLine } from "@/ui/CommandLine";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { ITEM_STATES } from "../data-types";
import type { DatasetVersionRef, DatasetView, ItemState } from "../types";
import { createExport } from "../works/api";
import { exportCommand } from "../works/commands";
import { writerOptions } from "../works/format-options";
import { OptionFields } from "../works/OptionFields";
import { formatsQuery } from "../works/queries";
import { exportOptions, SPLIT_FORMAT, suggestedFormat } from "./export-values";
import type { ExportValues } from "./export-values";
import styles from "../works/Works.module.css";

interface ExportFormProps {
  of: DatasetVersionRef;
  dataset: DatasetView;
  onMade: () => void;
  onClose: () => void;
}

export function ExportForm({ of, dataset, onMade, onClose }: ExportFormProps) {
  const { t } = useTranslation("datasets");
  const notify = useNotify();
  return (
    <FormModal<ExportValues>
      title={t("exports.title", { name: `${of.dataset}@${of.version}` })}
      submitText={t("exports.make")}
      initialValues={{ format: suggestedFormat(dataset.annotation_type), withData: false, states: [], testPercent: 20, seed: 0, fresh: false }}
      onSubmit={async (values) => {
        const made = await createExport(of, { format: values.format, with_data: values.withData, states: values.states.length > 0 ? values.states : null, options: exportOptions(values), fresh: values.fresh });
        if (made.state === "ready") notify.done(t("exports.reused"));
        onMade();
      }}
      onClose={onClose}
    >
      <FormatField />
      <FormatOptions />
      <Form.Item name="withData" label={t("exports.what")} required>
        <Radio.Group
          options={[
            { value: false, label: t("exports.annotationsOnly") },
            { value: true, label: t("exports.withData") },
          ]}
        />
      </Form.Item>
      <SplitFields />
      <Form.Item name="states" label={t("exports.states")} extra={t("exports.statesHint")}>
        <Select<ItemState[]> mode="multiple" allowClear placeholder={t("exports.statesAll")} options={ITEM_STATES.map((value) => ({ value, label: t(`itemState.${value}`) }))} />
      </Form.Item>
      <Form.Item name="fresh" label={t("exports.fresh")} required valuePropName="checked" extra={t("exports.freshHint")}>
        <Switch aria-label={t("exports.fresh")} />
      </Form.Item>
      <Command of={of} />
    </FormModal>
  );
}

function FormatField() {
  const { t } = useTranslation("datasets");
  const formats = useQuery(formatsQuery);
  const writable = (formats.data?.items ?? []).filter((format) => format.writes);
  const wanted = Form.useWatch<string>("format");
  const chosen = writable.find((format) => format.name === wanted);
  return (
    <>
      <Form.Item name="format" label={t("imports.format")} required extra={chosen?.description} rules={[{ required: true, message: t("exports.formatMissing") }]}>
        <Select
          loading={formats.isPending}
          showSearch={{ optionFilterProp: "label" }}
          options={writable.map(({ name, title, description }) => ({ value: name, label: title, description }))}
          optionRender={({ data, label }) => (
            <div>
              {label}
              <div className={styles.formatText}>{data.description}</div>
            </div>
          )}
        />
      </Form.Item>
      {formats.isError && <Alert type="error" showIcon title={t("exports.formatsFailed")} style={{ marginBottom: 16 }} />}
    </>
  );
}

function FormatOptions() {
  const format = Form.useWatch<string>("format");
  return <OptionFields fields={writerOptions(format)} />;
}

function Command({ of }: { of: DatasetVersionRef }) {
  const { t } = useTranslation();
  const values = Form.useWatch<ExportValues | undefined>([]);
  if (!values) return null;
  return <Collapse ghost size="small" items={[{ key: "command", label: t("make.command"), children: <CommandLine text={exportCommand(of, values)} /> }]} />;
}

/** Files for training come in two parts. */
function SplitFields() {
  const { t } = useTranslation("datasets");
  const format = Form.useWatch<string>("format");
  if (format !== SPLIT_FORMAT) return null;
  return (
    <div className={styles.row}>
      <Form.Item name="testPercent" label={t("exports.testPart")} required extra={t("exports.testHint")} rules={[{ required: true, message: t("imports.framesMissing") }]}>
        <InputNumber min={0} max={90} suffix="%" style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item name="seed" label={t("exports.seed")} required extra={t("exports.seedHint")} rules={[{ required: true, message: t("imports.framesMissing") }]}>
        <InputNumber min={0} max={2 ** 31 - 1} precision={0} style={{ width: "100%" }} />
      </Form.Item>
    </div>
  );
}
