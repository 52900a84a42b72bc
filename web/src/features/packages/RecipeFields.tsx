import { Collapse, Form, Input, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { requirementProblems } from "@/features/images/requirements";
import { RequirementsInput } from "@/features/images/RequirementsInput";
import { PairsField } from "@/features/training/PairsField";
import { AssetVersionList, AssetVersionSelect } from "@/features/workloads/AssetVersionSelect";
import { ImageSelect } from "@/features/workloads/ImageSelect";
import { DESCRIPTION_MAX } from "@/lib/limits";
import { FieldGroup } from "@/ui/MakePage";
import { COMMAND_MAX, PORT } from "./recipe-values";
import type { RecipeValues } from "./recipe-values";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Packages.module.css";

/** What one would type as it is. */
const SAMPLES = { arguments: "--max-batch 16", command: "python app.py --port $PORT", shell: "mkdir -p /tmp/cache" };
const PORT_MAX = 65_535;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,499}$/;

export function RecipeFields({ project }: { project: string }) {
  const { t } = useTranslation(["packages", "common"]);
  return (
    <>
      <FieldGroup title={t("group.serves")} text={t("group.servesText")}>
        <Form.Item name="models" label={t("field.models")} extra={t("hint.models")} dependencies={["algorithm"]} rules={[({ getFieldValue }) => ({ validator: (_rule, models: RecipeValues["models"]) => (models?.some(Boolean) || getFieldValue("algorithm") ? Promise.resolve() : Promise.reject(new Error(t("problem.nothing")))), validateTrigger: "onSubmit" })]}>
          <AssetVersionList project={project} kind="models" addText={t("addModel")} />
        </Form.Item>
        <Form.Item name="algorithm" label={t("field.algorithm")} extra={t("hint.algorithm")}>
          <AssetVersionSelect project={project} kind="algorithms" placeholder={t("builtinServer")} />
        </Form.Item>
        <CommandField />
        <Form.Item name="arguments" label={t("field.arguments")} extra={t("hint.arguments")} rules={[{ max: COMMAND_MAX, message: t("problem.long", { max: COMMAND_MAX }) }]}>
          <Input autoComplete="off" spellCheck={false} placeholder={SAMPLES.arguments} />
        </Form.Item>
      </FieldGroup>
      <FieldGroup title={t("group.runsIn")} text={t("group.runsInText")}>
        <Form.Item name="image" label={t("field.image")} extra={t("hint.image")}>
          <ImageSelect project={project} placeholder={t("imageNone")} />
        </Form.Item>
        <Form.Item
          name="requirements"
          label={t("field.requirements")}
          extra={t("hint.requirements")}
          rules={[{ validator: (_rule, text: string) => (requirementProblems(text ?? "").length > 0 ? Promise.reject(new Error(t("problem.requirements"))) : Promise.resolve()), validateTrigger: "onSubmit" }]}
        >
          <RequirementsInput />
        </Form.Item>
      </FieldGroup>
      <Collapse className={surfaces.folded} items={[{ key: "more", label: t("group.more"), forceRender: true, children: <MoreFields /> }]} />
      <FieldGroup title={t("group.about")}>
        <Form.Item name="note" label={t("field.note")} rules={[{ max: DESCRIPTION_MAX, message: t("common:description.long", { max: DESCRIPTION_MAX }) }]}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} count={{ show: true, max: DESCRIPTION_MAX }} placeholder={t("hint.note")} />
        </Form.Item>
      </FieldGroup>
    </>
  );
}

/** Code of one's own may be started by one's own command; the built-in server is started by us. */
function CommandField() {
  const { t } = useTranslation("packages");
  const algorithm = Form.useWatch("algorithm", { preserve: true }) as string | null | undefined;
  return (
    <Form.Item name="command" label={t("field.command")} extra={t("hint.command")} hidden={!algorithm} rules={[{ max: COMMAND_MAX, message: t("problem.long", { max: COMMAND_MAX }) }]}>
      <Input.TextArea className={styles.code} autoSize={{ minRows: 1, maxRows: 8 }} spellCheck={false} placeholder={SAMPLES.command} />
    </Form.Item>
  );
}

function MoreFields() {
  const { t } = useTranslation("packages");
  return (
    <>
      <Form.Item name="port" label={t("field.port")} extra={t("hint.port")} required rules={[{ required: true, message: t("problem.port") }]}>
        <InputNumber min={1} max={PORT_MAX} precision={0} placeholder={String(PORT)} style={{ width: 160 }} />
      </Form.Item>
      <PairsField name="environment" pattern={VARIABLE} label={t("field.environment")} />
      <Form.Item name="shell_commands" label={t("field.shell")} extra={t("hint.shell")}>
        <Input.TextArea className={styles.code} autoSize={{ minRows: 3, maxRows: 12 }} spellCheck={false} placeholder={SAMPLES.shell} />
      </Form.Item>
    </>
  );
}
