import { Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import { FormModal } from "@/ui/form/FormModal";
import { PairsField } from "./PairsField";
import { startBody, startValues } from "./start-values";
import type { StartBody, StartValues } from "./start-values";
import { PARAMETER, PRIORITIES } from "./TaskFields";
import type { TaskView } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Training.module.css";

interface StartFormProps {
  task: TaskView;
  onStart: (body: StartBody) => Promise<void>;
  onClose: () => void;
}

/** One run with other parameters, another spec or priority than the task says. */
export function StartForm({ task, onStart, onClose }: StartFormProps) {
  const { t } = useTranslation(["training", "workloads"]);
  return (
    <FormModal<StartValues>
      title={t("startWith.title", { name: task.name })}
      submitText={t("start")}
      initialValues={startValues(task)}
      onSubmit={(values) => onStart(startBody(task, { ...startValues(task), ...values }))}
      onClose={onClose}
    >
      <p className={styles.formText}>{t("startWith.text")}</p>
      {Object.keys(task.parameters).map((name, index) => (
        <Form.Item key={name} name={["values", index]} label={<code>{name}</code>} required>
          <Input autoFocus={index === 0} autoComplete="off" spellCheck={false} />
        </Form.Item>
      ))}
      <PairsField name="parameters" pattern={PARAMETER} label={t("startWith.extra")} />
      <div className={surfaces.two}>
        <Form.Item name="spec" label={t("field.spec")}>
          <SpecSelect placeholder={t("defaultSpec")} />
        </Form.Item>
        <Form.Item name="priority" required label={t("field.priority")}>
          <Select options={PRIORITIES.map((value) => ({ value, label: t(`workloads:priority.${value}`) }))} />
        </Form.Item>
      </div>
    </FormModal>
  );
}
