/** Where the annotations come from: a model of the catalogue, a version of a model, a service of the project, an address. */
import { useQuery } from "@tanstack/react-query";
import { Alert, Form, Input, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { catalogueQuery } from "@/features/catalogue/queries";
import type { CatalogueEntry } from "@/features/catalogue/types";
import type { DatasetView } from "@/features/datasets/types";
import { ServicePicker } from "@/features/inference/ServicePicker";
import { ModelPicker } from "@/features/models/ModelPicker";
import { useTaskText } from "@/features/models/words";
import { projectPath } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { FROMS, isAddress } from "./auto-values";
import type { AutoValues, From } from "./auto-values";
import { fitsTask, taskOf } from "./tasks";
import styles from "./Auto.module.css";

export function SourceFields({ project, dataset }: { project: string; dataset: DatasetView }) {
  const { t } = useTranslation("auto");
  const form = Form.useFormInstance<AutoValues>();
  const from = Form.useWatch<From>("from") ?? "preset";
  const task = taskOf(dataset.annotation_type);
  // Another model has other labels: what was chosen for the one before means nothing to it.
  const forget = () => form.setFieldValue("mapping", undefined);
  return (
    <>
      <Form.Item name="from" label={t("source.from")} required>
        <Radio.Group className={styles.sources} onChange={forget}>
          {FROMS.map((value) => (
            <Radio key={value} value={value}>
              {t(`source.${value}`)}
              <span className={styles.sourceText}>{t(`source.${value}Text`)}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      {from === "preset" && <PresetField project={project} dataset={dataset} onChange={forget} />}
      {from === "model" && (
        <Form.Item name="model" label={t("source.modelName")} required rules={[{ required: true, message: t("source.modelMissing") }]} getValueFromEvent={(value: string | null) => (forget(), value)}>
          <ModelPicker project={project} task={task ?? undefined} can={(facts) => facts.can_annotate} />
        </Form.Item>
      )}
      {from === "service" && (
        <Form.Item name="service" label={t("source.serviceName")} required extra={t("source.serviceHint")} rules={[{ required: true, message: t("source.serviceMissing") }]} getValueFromEvent={(value: string | null) => (forget(), value)}>
          <ServicePicker project={project} />
        </Form.Item>
      )}
      {from === "address" && <AddressFields />}
    </>
  );
}

function PresetField({ project, dataset, onChange }: { project: string; dataset: DatasetView; onChange: () => void }) {
  const { t } = useTranslation(["auto", "catalogue"]);
  const catalogue = useQuery(catalogueQuery);
  const taskText = useTaskText();
  const format = useFormat();
  const fitting = (catalogue.data?.items ?? []).filter((entry) => fitsTask(entry.task, dataset.annotation_type));
  const isHere = (entry: CatalogueEntry) => entry.state === "installed";
  const option = (entry: CatalogueEntry) => ({ value: entry.name, label: entry.title, entry, disabled: !isHere(entry) });
  return (
    <>
      {catalogue.isError && <Alert type="error" showIcon title={t("source.catalogueFailed")} style={{ marginBottom: 16 }} />}
      <Form.Item
        name="preset"
        label={t("source.presetName")}
        required
        rules={[{ required: true, message: t("source.presetMissing") }]}
        getValueFromEvent={(value: string) => (onChange(), value)}
        extra={
          !catalogue.isSuccess || fitting.some(isHere) ? undefined : (
            <>
              {t(fitting.length === 0 ? "source.noPreset" : "source.noneInstalled")} <Link to={projectPath(project, "catalogue")} style={{ textDecoration: "underline" }}>{t("source.toCatalogue")}</Link>
            </>
          )
        }
      >
        <Select
          loading={catalogue.isPending}
          showSearch={{ optionFilterProp: "label" }}
          placeholder={t("source.presetChoose")}
          notFoundContent={t("source.noPreset")}
          options={[...fitting.filter(isHere), ...fitting.filter((entry) => !isHere(entry))].map(option)}
          optionRender={({ data }) => (
            <div>
              {data.entry.title}
              <div className={styles.optionText}>
                {[taskText(data.entry.task), t("source.labelCount", { count: data.entry.labels.length }), format.bytes(data.entry.size_bytes), !isHere(data.entry) && t("catalogue:state.not_installed")].filter(Boolean).join(" · ")}
              </div>
            </div>
          )}
        />
      </Form.Item>
    </>
  );
}

function AddressFields() {
  const { t } = useTranslation("auto");
  return (
    <>
      <Form.Item
        name="url"
        label={t("source.url")}
        required
        extra={t("source.urlHint")}
        validateTrigger="onBlur"
        rules={[{ validator: (_rule, value?: string) => (isAddress(value) ? Promise.resolve() : Promise.reject(new Error(t("source.urlWrong")))) }]}
      >
        <Input autoComplete="off" inputMode="url" maxLength={2000} placeholder="https://host.example:8080" />
      </Form.Item>
      <Form.Item name="serviceModel" label={t("source.serviceModel")} required rules={[{ required: true, whitespace: true, message: t("source.serviceModelMissing") }]}>
        <Input autoComplete="off" maxLength={200} placeholder="model" />
      </Form.Item>
      <Form.Item name="token" label={t("source.token")} extra={t("source.tokenHint")}>
        <Input.Password autoComplete="new-password" maxLength={4000} />
      </Form.Item>
    </>
  );
}
