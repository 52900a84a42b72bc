/** Without code: what looks, at what, and how sure it has to be. */
import { useQuery } from "@tanstack/react-query";
import { Checkbox, Form, Input, InputNumber, Radio, Slider } from "antd";
import { useTranslation } from "react-i18next";
import { isAddress } from "@/features/auto/auto-values";
import { newestVersionsQuery } from "@/features/datasets/queries";
import type { DatasetVersionView } from "@/features/datasets/types";
import { ModelPicker } from "@/features/models/ModelPicker";
import { parseRef } from "@/features/workloads/asset-ref";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { useFormat } from "@/lib/format";
import { FieldGroup } from "@/ui/MakePage";
import { FROMS, ITEM_STATES } from "./inference-values";
import type { From } from "./inference-values";
import { ServicePicker } from "./ServicePicker";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Inference.module.css";

const IN_FLIGHT_MAX = 64;

export function ModelFields({ project }: { project: string }) {
  const { t } = useTranslation("inference");
  return (
    <>
      <FieldGroup title={t("make.looks")} text={t("make.looksText")}>
        <SourceFields project={project} />
      </FieldGroup>
      <FieldGroup title={t("make.data")}>
        <Form.Item name="dataset" label={t("field.dataset")} required extra={t("make.datasetHint")} rules={[{ required: true, message: t("make.datasetMissing") }]}>
          <AssetVersionSelect project={project} kind="datasets" />
        </Form.Item>
        <StatesField project={project} />
        <ThresholdField />
      </FieldGroup>
    </>
  );
}

function SourceFields({ project }: { project: string }) {
  const { t } = useTranslation("inference");
  const from = Form.useWatch<From>("from", { preserve: true }) ?? "model";
  return (
    <>
      <Form.Item name="from" label={t("field.from")} required>
        <Radio.Group className={styles.forms}>
          {FROMS.map((value) => (
            <Radio key={value} value={value}>
              {t(`from.${value}`)}
              <span className={styles.choiceText}>{t(`from.${value}Text`)}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      {from === "model" && (
        <Form.Item name="model" label={t("from.model")} required rules={[{ required: true, message: t("make.modelMissing") }]}>
          <ModelPicker project={project} can={(facts) => facts.can_annotate || facts.can_evaluate} />
        </Form.Item>
      )}
      {from === "service" && (
        <Form.Item name="service" label={t("from.service")} required rules={[{ required: true, message: t("make.serviceMissing") }]}>
          <ServicePicker project={project} />
        </Form.Item>
      )}
      {from === "address" && (
        <Form.Item
          name="url"
          label={t("from.address")}
          required
          extra={t("make.urlHint")}
          validateTrigger="onBlur"
          rules={[{ validator: (_rule, value?: string) => (isAddress(value) ? Promise.resolve() : Promise.reject(new Error(t("make.urlWrong")))) }]}
        >
          <Input autoComplete="off" inputMode="url" maxLength={2000} placeholder="https://host.example:8080" />
        </Form.Item>
      )}
      {from !== "model" && (
        <div className={surfaces.two}>
          <Form.Item
            name="serviceModel"
            label={t("field.serviceModel")}
            required={from === "address"}
            extra={from === "service" ? t("make.serviceModelHint") : undefined}
            rules={from === "address" ? [{ required: true, whitespace: true, message: t("make.serviceModelMissing") }] : []}
          >
            <Input autoComplete="off" maxLength={200} placeholder="model" />
          </Form.Item>
          <Form.Item name="inFlight" label={t("field.inFlight")} extra={t("make.inFlightHint")}>
            <InputNumber min={1} max={IN_FLIGHT_MAX} precision={0} placeholder="4" style={{ width: "100%" }} />
          </Form.Item>
        </div>
      )}
    </>
  );
}

function StatesField({ project }: { project: string }) {
  const { t } = useTranslation(["inference", "datasets"]);
  const format = useFormat();
  const version = useChosenVersion(project);
  const count = (state: string) => (version ? ` (${format.number(version.states[state] ?? 0)})` : "");
  return (
    <Form.Item name="states" label={t("field.states")} extra={t("make.statesHint")}>
      <Checkbox.Group options={ITEM_STATES.map((value) => ({ value, label: t(`datasets:itemState.${value}`) + count(value) }))} />
    </Form.Item>
  );
}

function ThresholdField() {
  const { t } = useTranslation("inference");
  const format = useFormat();
  const threshold = Form.useWatch<number | undefined>("thresholdPercent", { preserve: true }) ?? 50;
  return (
    <Form.Item name="thresholdPercent" label={t("make.threshold", { value: format.percent(threshold / 100) })} required extra={t("make.thresholdHint")}>
      <Slider className={styles.slider} min={0} max={100} step={5} marks={{ 0: "0", 50: "50", 100: "100" }} ariaLabelForHandle={t("field.threshold")} tooltip={{ formatter: (value) => format.percent((value ?? 0) / 100) }} />
    </Form.Item>
  );
}

/** The version that is named in the form, the newest where none is; undefined while it is not known. */
export function useChosenVersion(project: string): DatasetVersionView | undefined {
  const reference = Form.useWatch<string | null>("dataset", { preserve: true }) ?? null;
  const { isPublic, name, version } = parseRef(reference ?? "");
  const newest = useQuery({ ...newestVersionsQuery({ project: isPublic ? "public" : project, dataset: name }), enabled: reference !== null });
  const items = newest.data?.items ?? [];
  return reference === null ? undefined : version === null ? items[0] : items.find((one) => one.number === version);
}
