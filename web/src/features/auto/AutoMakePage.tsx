/** A model looks at a draft's items and proposes annotations: which model, what its labels mean here, how sure it has to be. */
import { useQuery } from "@tanstack/react-query";
import { Alert, Checkbox, Form, Skeleton, Slider, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { datasetQuery, datasetVersionQuery, labelsQuery, useDatasetRefresh } from "@/features/datasets/queries";
import type { DatasetVersionRef, DatasetVersionView, DatasetView, LabelView } from "@/features/datasets/types";
import { useProjectName } from "@/features/projects/current-project";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { FieldGroup, MakePage } from "@/ui/MakePage";
import { autoTabPath } from "./addresses";
import { createAuto } from "./api";
import { ASKED_STATES, autoBody, autoCommand, countTargets, mappingOf, newAuto, sourceOf } from "./auto-values";
import type { AutoValues } from "./auto-values";
import { MappingFields } from "./MappingFields";
import { mappingQuery } from "./queries";
import { SourceFields } from "./SourceFields";
import type { MappingView } from "./types";
import styles from "./Auto.module.css";

export default function AutoMakePage() {
  const { t } = useTranslation("auto");
  const { dataset = "", version = "" } = useParams();
  const project = useProjectName();
  const of = { project, dataset, version: Number(version) };
  const whole = useQuery(datasetQuery(of));
  const draft = useQuery(datasetVersionQuery(of));
  const labels = useQuery(labelsQuery(of));
  const failed = [whole, draft, labels].find((query) => query.isError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!whole.data || !draft.data || !labels.data) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (draft.data.work !== "draft") return <EmptyState title={t("onlyDrafts")} text={t("onlyDraftsText")} />;
  return <AutoForm of={of} dataset={whole.data} version={draft.data} labels={labels.data.items} />;
}

interface AutoFormProps {
  of: DatasetVersionRef;
  dataset: DatasetView;
  version: DatasetVersionView;
  labels: LabelView[];
}

function AutoForm({ of, dataset, version, labels }: AutoFormProps) {
  const { t } = useTranslation("auto");
  const navigate = useNavigate();
  const refresh = useDatasetRefresh();
  const [params] = useSearchParams();
  const [form] = Form.useForm<AutoValues>();
  const first = newAuto({ model: params.get("model"), preset: params.get("preset"), service: params.get("service") });
  const now = Form.useWatch<AutoValues | undefined>([], form) ?? first;
  const source = sourceOf(now);
  const mapping = useQuery(mappingQuery(of, source));
  const names = new Map(labels.map((label) => [label.number, label.name]));

  const start = async (values: AutoValues) => {
    await createAuto(of, autoBody(values, mapping.data));
    await refresh.version(of);
    await navigate(autoTabPath(of));
  };
  return (
    <MakePage<AutoValues>
      title={t("make.title", { name: `${of.dataset}@${of.version}` })}
      form={form}
      initialValues={first}
      submitText={t("make.submit")}
      onSubmit={start}
      onCancel={() => void navigate(datasetVersionPath(of))}
      summary={(values) => <Summary values={values} version={version} found={mapping.data} />}
      command={(values) => autoCommand(of, values, mapping.data?.labels ?? [], names)}
    >
      <FieldGroup title={t("source.title")} text={t("source.text")}>
        <SourceFields project={of.project} dataset={dataset} />
      </FieldGroup>
      <FieldGroup title={t("mapping.title")} text={t("mapping.text")}>
        <MappingFields query={mapping} hasSource={source !== null} labels={labels} />
      </FieldGroup>
      <FieldGroup title={t("how.title")}>
        <HowFields version={version} />
      </FieldGroup>
    </MakePage>
  );
}

function HowFields({ version }: { version: DatasetVersionView }) {
  const { t } = useTranslation(["auto", "datasets"]);
  const format = useFormat();
  const threshold = Form.useWatch<number | undefined>("thresholdPercent") ?? 50;
  return (
    <>
      <Form.Item name="thresholdPercent" label={t("how.threshold", { value: format.percent(threshold / 100) })} required extra={t("how.thresholdHint")}>
        <Slider className={styles.slider} min={0} max={100} step={5} marks={{ 0: "0", 50: "50", 100: "100" }} ariaLabelForHandle={t("how.thresholdName")} tooltip={{ formatter: (value) => format.percent((value ?? 0) / 100) }} />
      </Form.Item>
      <Form.Item label={t("how.states")} required extra={t("how.statesHint")}>
        <Form.Item name="states" noStyle rules={[{ validator: (_rule, states?: unknown[]) => (states?.length ? Promise.resolve() : Promise.reject(new Error(t("how.statesMissing")))) }]}>
          <Checkbox.Group options={ASKED_STATES.map((value) => ({ value, label: `${t(`datasets:itemState.${value}`)} (${format.number(version.states[value] ?? 0)})` }))} />
        </Form.Item>
      </Form.Item>
      <Form.Item name="labelErrors" label={t("how.errors")} required valuePropName="checked" extra={t("how.errorsHint")}>
        <Switch aria-label={t("how.errors")} />
      </Form.Item>
      <Form.Item name="spec" label={t("how.spec")} extra={t("how.specHint")}>
        <SpecSelect placeholder={t("how.specDefault")} />
      </Form.Item>
    </>
  );
}

function Summary({ values, version, found }: { values: AutoValues; version: DatasetVersionView; found: MappingView | undefined }) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  const items = (values.states ?? []).reduce((sum, state) => sum + (version.states[state] ?? 0), 0);
  const counts = found && countTargets(mappingOf(found.labels, values));
  return (
    <div className={styles.happens}>
      <p>{t("make.summary", { count: items, number: format.number(items), threshold: format.percent((values.thresholdPercent ?? 0) / 100) })}</p>
      {counts && found.labels.length > 0 && <p>{t("make.labels", { mapped: counts.mapped, made: counts.made, left: counts.left })}</p>}
      {values.labelErrors && (version.states.labelled ?? 0) > 0 && <p>{t("make.errors", { number: format.number(version.states.labelled ?? 0) })}</p>}
      <p className="tm-muted">{t("make.nothingLost")}</p>
      {found && !found.fits && <Alert type="warning" showIcon title={found.problem ?? t("mapping.fitsNot")} />}
    </div>
  );
}
