/** What runs, on what, how often: the same for a new service, a canary and an update. */
import { Form, Input, InputNumber, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { PairsField } from "@/features/training/PairsField";
import { AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { SpecSelect } from "@/features/workloads/SpecSelect";
import type { DeployValues, SourceKind } from "./service-values";
import surfaces from "@/ui/Surfaces.module.css";

const KINDS: SourceKind[] = ["model", "package", "run"];
export const REPLICAS_MAX = 100;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;

export function SourceFields({ project }: { project: string }) {
  const { t } = useTranslation("services");
  const kind = (Form.useWatch("kind", { preserve: true }) as DeployValues["kind"] | undefined) ?? "model";
  const missing = (text: string) => [{ required: true, message: text }];
  return (
    <>
      <Form.Item name="kind" label={t("source.kind")} required extra={t(`source.${kind}Text`)}>
        <Radio.Group optionType="button" options={KINDS.map((value) => ({ value, label: t(`source.${value}`) }))} />
      </Form.Item>
      {kind === "model" && (
        <Form.Item name="model" label={t("source.model")} required rules={missing(t("source.modelMissing"))}>
          <AssetVersionSelect project={project} kind="models" />
        </Form.Item>
      )}
      {kind === "package" && (
        <Form.Item name="package" label={t("source.package")} required rules={missing(t("source.packageMissing"))}>
          <AssetVersionSelect project={project} kind="packages" />
        </Form.Item>
      )}
      {kind === "run" && (
        <Form.Item name="run" label={t("source.run")} required extra={t("source.runHint")} rules={[{ required: true, whitespace: true, message: t("source.runMissing") }]}>
          <Input autoComplete="off" spellCheck={false} />
        </Form.Item>
      )}
    </>
  );
}

export function SizeFields() {
  const { t } = useTranslation(["services", "training"]);
  return (
    <div className={surfaces.two}>
      <Form.Item name="spec" label={t("field.spec")}>
        <SpecSelect placeholder={t("training:defaultSpec")} />
      </Form.Item>
      <ReplicasField />
    </div>
  );
}

export function ReplicasField() {
  const { t } = useTranslation("services");
  return (
    <Form.Item name="replicas" label={t("field.replicas")} required extra={t("hint.replicas")} rules={[{ required: true, message: t("problem.replicas", { max: REPLICAS_MAX }) }]}>
      <InputNumber min={0} max={REPLICAS_MAX} precision={0} style={{ width: "100%" }} />
    </Form.Item>
  );
}

export function VariablesFields() {
  const { t } = useTranslation("services");
  return (
    <>
      <PairsField name="environment" pattern={VARIABLE} label={t("field.environment")} />
      <PairsField name="secrets" pattern={VARIABLE} />
    </>
  );
}
