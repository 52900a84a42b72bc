/** Results go back into a dataset: as suggestions that people decide about, or as a version of their own. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Form, InputNumber, Radio } from "antd";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { MappingFields } from "@/features/auto/MappingFields";
import { labelsQuery, newestVersionsQuery } from "@/features/datasets/queries";
import { NoteField } from "@/features/datasets/versions/version-actions";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { useFormat } from "@/lib/format";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { createWriteBack } from "../api";
import type { InferenceRunRef } from "../api";
import { datasetOf, writeBackMappingQuery, writeBacksQuery } from "../queries";
import type { InferenceRun } from "../types";
import { backBody } from "./back-values";
import type { BackValues } from "./back-values";
import styles from "../Inference.module.css";

interface WriteBackFormProps {
  at: InferenceRunRef;
  run: InferenceRun;
  onClose: () => void;
}

export function WriteBackForm({ at, run, onClose }: WriteBackFormProps) {
  const { t } = useTranslation("inference");
  const client = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotify();
  const draft = useDraft(run);
  const submit = async (values: BackValues) => {
    const found = await client.ensureQueryData(writeBackMappingQuery(at, values));
    await createWriteBack(at, backBody(values, found.labels));
    notify.done(t("back.started"));
    await client.invalidateQueries({ queryKey: writeBacksQuery(at).queryKey });
    void navigate("?tab=overview");
  };
  if (draft === undefined) return null;
  return (
    <FormModal<BackValues>
      title={t("back.title", { name: run.name })}
      submitText={t("back.submit")}
      width={600}
      initialValues={{ form: draft === null ? "version" : "suggestions", dataset: draft, threshold: run.settings.threshold ?? 0, makeLabels: true, existing: "keep", note: "" }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item name="form" label={t("back.as")} required>
        <Radio.Group className={styles.forms}>
          {(["suggestions", "version"] as const).map((value) => (
            <Radio key={value} value={value}>
              {t(`back.${value}`)}
              <span className={styles.choiceText}>{t(`back.${value}Text`)}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      <FormFields at={at} run={run} />
    </FormModal>
  );
}

function FormFields({ at, run }: { at: InferenceRunRef; run: InferenceRun }) {
  const { t } = useTranslation("inference");
  const form = Form.useWatch<BackValues["form"]>("form") ?? "suggestions";
  return (
    <>
      {form === "suggestions" ? (
        <Form.Item name="dataset" label={t("back.draft")} required extra={t("back.draftHint")} rules={[{ required: true, message: t("back.draftMissing") }]}>
          <AssetVersionSelect project={at.project} kind="datasets" />
        </Form.Item>
      ) : (
        <Form.Item name="existing" label={t("back.existing")} required>
          <Radio.Group options={(["keep", "replace"] as const).map((value) => ({ value, label: t(`back.${value}`) }))} />
        </Form.Item>
      )}
      <Form.Item name="threshold" label={t("field.threshold")} extra={t("back.thresholdHint")} rules={[{ type: "number", min: 0, max: 1, message: t("make.thresholdWrong") }]}>
        <InputNumber step={0.05} style={{ width: 120 }} />
      </Form.Item>
      <LabelFields at={at} form={form} />
      <NoteField />
      <Happens run={run} form={form} />
    </>
  );
}

/** What the labels that were found are called in the dataset; chosen anew where another one is written to. */
function LabelFields({ at, form }: { at: InferenceRunRef; form: BackValues["form"] }) {
  const { t } = useTranslation("inference");
  const dataset = Form.useWatch<BackValues["dataset"]>("dataset") ?? null;
  const instance = Form.useFormInstance<BackValues>();
  const hasTarget = form === "version" || dataset !== null;
  const mapping = useQuery({ ...writeBackMappingQuery(at, { form, dataset }), enabled: hasTarget });
  const target = mapping.data ? { project: at.project, dataset: mapping.data.dataset, version: mapping.data.version } : null;
  const labels = useQuery({ ...labelsQuery(target ?? { project: "", dataset: "", version: 0 }), enabled: target !== null });
  useEffect(() => instance.setFieldValue("mapping", undefined), [instance, form, dataset]);
  if (!hasTarget) return null;
  return (
    <section className={styles.labels}>
      <h3>{t("back.labels")}</h3>
      <MappingFields query={mapping} hasSource labels={labels.data?.items ?? []} />
    </section>
  );
}

function Happens({ run, form }: { run: InferenceRun; form: BackValues["form"] }) {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const items = run.done - run.errors - run.empty;
  const values = { count: items, number: format.number(items), dataset: run.dataset_name ?? run.dataset };
  return <Alert type="info" showIcon title={form === "suggestions" ? t("back.happensSuggestions", values) : t("back.happensVersion", values)} style={{ marginBottom: 16 }} />;
}

/** The draft of the run's dataset that suggestions would go to; null where there is none, undefined until that is known. */
function useDraft(run: InferenceRun): string | null | undefined {
  const of = datasetOf(run);
  const newest = useQuery({ ...newestVersionsQuery(of ?? { project: "", dataset: "" }), enabled: of !== null });
  if (of !== null && newest.isPending) return undefined;
  const draft = newest.data?.items.find((one) => one.work === "draft");
  return of && draft ? `${of.dataset}@${draft.number}` : null;
}
