/** One label: name, place, colour, key, attributes, and for keypoints its skeleton. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, ColorPicker, Form, Input, Select, Switch } from "antd";
import type { Rule } from "antd/es/form";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { IconButton } from "@/ui/IconButton";
import type { LabelAttribute } from "../types";
import type { LabelDraft } from "./label-draft";
import { parsePairs, parsePoints, skeletonOf, skeletonText } from "./skeleton-text";
import type { SkeletonText } from "./skeleton-text";
import styles from "./Labels.module.css";

const NAME_MAX = 200;
const ATTRIBUTE_TYPES: LabelAttribute["type"][] = ["text", "number", "choice", "flag"];

interface LabelFormProps {
  label: LabelDraft | null;
  /** Names of the first level it can be put under; it stays where it is when it has others below it. */
  parents: string[];
  /** For a new one: where it goes. */
  under?: string | null;
  hasSkeleton: boolean;
  onSubmit: (draft: LabelDraft) => Promise<unknown>;
  onClose: () => void;
}

interface Values {
  name: string;
  parent?: string;
  colour: string | null;
  shortcut: string;
  attributes: LabelAttribute[];
  skeleton?: SkeletonText;
}

export function LabelForm({ label, parents, under, hasSkeleton, onSubmit, onClose }: LabelFormProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const values: Values = {
    name: label?.name ?? "",
    parent: label?.parent ?? under ?? undefined,
    colour: label?.colour ?? null,
    shortcut: label?.shortcut ?? "",
    attributes: label?.attributes ?? [],
    skeleton: skeletonText(label?.skeleton ?? null),
  };
  const submit = (given: Values) =>
    onSubmit({
      number: label?.number,
      name: given.name.trim(),
      parent: given.parent ?? null,
      colour: given.colour,
      shortcut: given.shortcut?.trim() || null,
      attributes: given.attributes ?? [],
      skeleton: hasSkeleton && given.skeleton ? skeletonOf(given.skeleton) : (label?.skeleton ?? null),
    });
  return (
    <FormModal<Values> title={label ? t("labels.editTitle", { name: label.name }) : t("labels.add")} submitText={t("common:action.save")} initialValues={values} width={600} onSubmit={submit} onClose={onClose}>
      <div className={styles.formRow}>
        <Form.Item
          name="name"
          label={t("common:field.name")}
          required
          className={styles.grow}
          rules={[
            { required: true, whitespace: true, message: t("common:name.empty") },
            { max: NAME_MAX, message: t("common:name.long", { max: NAME_MAX }) },
          ]}
        >
          <Input autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="colour" label={t("labels.colour")} getValueFromEvent={(colour: { toHexString: () => string }) => colour.toHexString().slice(0, 7)}>
          <ColorPicker disabledAlpha showText aria-label={t("labels.colour")} />
        </Form.Item>
      </div>
      <div className={styles.formRow}>
        <Form.Item name="parent" label={t("labels.parent")} className={styles.grow}>
          <Select allowClear disabled={parents.length === 0} placeholder={t("labels.noParent")} options={parents.map((name) => ({ value: name, label: name }))} />
        </Form.Item>
        <Form.Item name="shortcut" label={t("labels.shortcut")} extra={t("labels.shortcutHint")} className={styles.short}>
          <Input maxLength={30} autoComplete="off" />
        </Form.Item>
      </div>
      <AttributeFields />
      {hasSkeleton && <SkeletonFields />}
    </FormModal>
  );
}

function AttributeFields() {
  const { t } = useTranslation("datasets");
  return (
    <Form.List name="attributes">
      {(fields, { add, remove }) => (
        <fieldset className={styles.group}>
          <legend>{t("labels.attributes")}</legend>
          <p className="tm-muted">{t("labels.attributesHint")}</p>
          {fields.map(({ key, name }) => (
            <AttributeRow key={key} index={name} onRemove={() => remove(name)} />
          ))}
          <Button type="dashed" size="small" icon={<PlusOutlined aria-hidden />} onClick={() => add({ name: "", type: "text", required: false })}>
            {t("labels.addAttribute")}
          </Button>
        </fieldset>
      )}
    </Form.List>
  );
}

function AttributeRow({ index, onRemove }: { index: number; onRemove: () => void }) {
  const { t } = useTranslation(["datasets", "common"]);
  const type = Form.useWatch<LabelAttribute["type"]>(["attributes", index, "type"]);
  return (
    <div className={styles.formRow}>
      <Form.Item name={[index, "name"]} className={styles.grow} rules={[{ required: true, whitespace: true, message: t("common:name.empty") }]}>
        <Input aria-label={t("labels.attributeName")} placeholder={t("labels.attributeName")} />
      </Form.Item>
      <Form.Item name={[index, "type"]} className={styles.short}>
        <Select aria-label={t("labels.attributeType")} options={ATTRIBUTE_TYPES.map((value) => ({ value, label: t(`labels.type.${value}`) }))} />
      </Form.Item>
      {type === "choice" && (
        <Form.Item name={[index, "choices"]} className={styles.grow} rules={[{ required: true, message: t("labels.choicesMissing") }]}>
          <Select mode="tags" aria-label={t("labels.choices")} placeholder={t("labels.choices")} tokenSeparators={[",", "，"]} open={false} suffixIcon={null} />
        </Form.Item>
      )}
      <Form.Item name={[index, "required"]} valuePropName="checked">
        <Switch checkedChildren={t("labels.required")} unCheckedChildren={t("labels.optional")} aria-label={t("labels.required")} />
      </Form.Item>
      <IconButton icon={<DeleteOutlined aria-hidden />} label={t("labels.removeAttribute")} onClick={onRemove} />
    </div>
  );
}

function SkeletonFields() {
  const { t } = useTranslation("datasets");
  const points = Form.useWatch<string>(["skeleton", "points"]) ?? "";
  const pairs: Rule = {
    validator: (_rule, text: string | undefined) => (parsePairs(text ?? "", parsePoints(points).length) === undefined ? Promise.reject(new Error(t("labels.pairsWrong", { count: parsePoints(points).length }))) : Promise.resolve()),
  };
  return (
    <fieldset className={styles.group}>
      <legend>{t("labels.skeleton")}</legend>
      <Form.Item name={["skeleton", "points"]} label={t("labels.points")} extra={t("labels.pointsHint")}>
        <Input.TextArea autoSize={{ minRows: 3, maxRows: 10 }} placeholder={t("labels.pointsExample")} />
      </Form.Item>
      <Form.Item name={["skeleton", "edges"]} label={t("labels.edges")} extra={t("labels.edgesHint")} rules={[pairs]} dependencies={[["skeleton", "points"]]}>
        <Input placeholder="1-2 2-3" autoComplete="off" />
      </Form.Item>
      <Form.Item name={["skeleton", "flips"]} label={t("labels.flips")} extra={t("labels.flipsHint")} rules={[pairs]} dependencies={[["skeleton", "points"]]}>
        <Input placeholder="2-3" autoComplete="off" />
      </Form.Item>
    </fieldset>
  );
}
