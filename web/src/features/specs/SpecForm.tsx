import { Checkbox, Form, Input, InputNumber, Switch } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { BytesInput, DescriptionField, NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { createSpec, specsKey, updateSpec } from "./api";
import { fabricName } from "./spec-text";
import type { SpecCreate, SpecView } from "./types";
import styles from "./Specs.module.css";

const CPUS_MAX = 100_000;
const DEVICES_MAX = 10_000;
const MEMORY_LEAST = 16 * 1024 ** 2;
const FABRICS = ["ib", "roce"];
const NEW: SpecCreate = { name: "", description: "", cpus: 1, memory_bytes: 2 * 1024 ** 3, accelerator: null, accelerators: 0, fabrics: [], is_enabled: true };

export function SpecForm({ spec, onClose }: { spec: SpecView | null; onClose: () => void }) {
  const { t } = useTranslation(["specs", "common"]);
  const client = useQueryClient();
  const notify = useNotify();
  const save = async (values: SpecCreate) => {
    const kind = values.accelerator?.trim() || null;
    const body: SpecCreate = { ...values, accelerator: kind, accelerators: kind ? (values.accelerators ?? 0) : 0 };
    const saved = spec ? await updateSpec(spec.name, body) : await createSpec(body);
    await client.invalidateQueries({ queryKey: specsKey });
    notify.done(spec ? t("common:saved") : t("created", { name: saved.name }));
  };
  return (
    <FormModal<SpecCreate>
      title={spec ? t("edit", { name: spec.name }) : t("create")}
      submitText={spec ? t("common:action.save") : t("common:action.create")}
      initialValues={spec ? { ...spec, fabrics: spec.fabrics as SpecCreate["fabrics"] } : NEW}
      onSubmit={save}
      onClose={onClose}
      width={600}
    >
      <NameField hint={t("nameExample")} />
      <div className={styles.two}>
        <Form.Item name="cpus" label={t("cpus")} rules={[{ required: true, message: t("cpusMissing") }]}>
          <InputNumber min={0.1} max={CPUS_MAX} step={1} style={{ width: "100%" }} />
        </Form.Item>
        <Form.Item
          name="memory_bytes"
          required
          label={t("memory")}
          rules={[{ validator: (_rule, value: number | null) => ((value ?? 0) >= MEMORY_LEAST ? Promise.resolve() : Promise.reject(new Error(t("memoryMissing")))) }]}
        >
          <BytesInput />
        </Form.Item>
        <Form.Item name="accelerator" label={t("accelerator")} extra={t("acceleratorHint")}>
          <Input allowClear autoComplete="off" placeholder={t("acceleratorNone")} />
        </Form.Item>
        <Form.Item name="accelerators" label={t("accelerators")} extra={t("acceleratorsHint")} dependencies={["accelerator"]}>
          <InputNumber min={0} max={DEVICES_MAX} step={1} style={{ width: "100%" }} />
        </Form.Item>
      </div>
      <Form.Item name="fabrics" label={t("fabrics")}>
        <Checkbox.Group options={FABRICS.map((fabric) => ({ value: fabric, label: fabricName(fabric) }))} />
      </Form.Item>
      <DescriptionField />
      <Form.Item name="is_enabled" required label={t("state.on")} valuePropName="checked">
        <Switch />
      </Form.Item>
    </FormModal>
  );
}
