import { Form, Input, InputNumber, Select } from "antd";
import { useTranslation } from "react-i18next";
import { PRIORITIES } from "@/features/training/TaskFields";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { FormModal } from "@/ui/form/FormModal";
import { startBody, startValues } from "./start-values";
import type { StartValues } from "./start-values";
import type { InferenceView, StartBody } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Inference.module.css";

interface StartFormProps {
  project: string;
  entry: InferenceView;
  onStart: (body: StartBody) => Promise<void>;
  onClose: () => void;
}

/** One run on other data, with another threshold, spec or priority than the entry says. */
export function StartForm({ project, entry, onStart, onClose }: StartFormProps) {
  const { t } = useTranslation(["inference", "workloads"]);
  const first = startValues(entry);
  const isModel = entry.form === "model";
  return (
    <FormModal<StartValues> title={t("startWith.title", { name: entry.name })} submitText={t("start")} initialValues={first} onSubmit={(values) => onStart(startBody(entry, { ...first, ...values }))} onClose={onClose}>
      <p className={styles.formText}>{t("startWith.text")}</p>
      {isModel && (
        <>
          <Form.Item name="dataset" label={t("field.dataset")} required rules={[{ required: true, message: t("make.datasetMissing") }]}>
            <AssetVersionSelect project={project} kind="datasets" />
          </Form.Item>
          <Form.Item name="threshold" label={t("field.threshold")} required rules={[{ required: true, type: "number", min: 0, max: 1, message: t("make.thresholdWrong") }]}>
            <InputNumber step={0.05} style={{ width: 120 }} />
          </Form.Item>
        </>
      )}
      <div className={surfaces.two}>
        <Form.Item name="spec" label={t("field.spec")}>
          <SpecSelect placeholder={t("defaultSpec")} />
        </Form.Item>
        <Form.Item name="priority" required label={t("field.priority")}>
          <Select options={PRIORITIES.map((value) => ({ value, label: t(`workloads:priority.${value}`) }))} />
        </Form.Item>
      </div>
      {entry.settings.source?.url && (
        <Form.Item name="token" label={t("field.token")} extra={t("startWith.tokenHint")}>
          <Input.Password autoComplete="new-password" maxLength={4000} />
        </Form.Item>
      )}
    </FormModal>
  );
}
