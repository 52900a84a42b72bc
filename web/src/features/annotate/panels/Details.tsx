import { Checkbox, Form, Input, InputNumber, Select } from "antd";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { omit } from "../model/omit";
import type { Annotation, AttributeValue, Label, LabelAttribute } from "../model/types";
import { useSession, useSessionState } from "../session/use-session";
import { labelRows } from "./label-tree";
import styles from "../Workbench.module.css";

const FLAGS = ["occluded", "truncated", "difficult", "crowd", "ignore"] as const;
const SHOWN = ["id", "type", "label", "attributes", "track", "auto", ...FLAGS] as const;

/** Label, attributes and flags of the one annotation that is chosen. */
export function Details() {
  const session = useSession();
  const labels = useSessionState((state) => state.labels);
  const chosen = useSessionState(({ doc, selection: [id] }) => doc?.annotations.find((one) => one.id === id) ?? null);
  const isLocked = useSessionState((state) => chosen !== null && state.locked.has(chosen.id));
  return chosen && <DetailsOf annotation={chosen} labels={labels} isDisabled={isLocked || session.isReadOnly} />;
}

interface DetailsOfProps {
  annotation: Annotation;
  labels: Label[];
  isDisabled: boolean;
}

/** Fields are slow to draw: what is only moved or reshaped leaves them as they are. */
const DetailsOf = memo(
  function DetailsOf({ annotation: chosen, labels, isDisabled }: DetailsOfProps) {
    const { t } = useTranslation("annotate");
    const session = useSession();
    const label = labels.find((one) => one.number === chosen.label) ?? null;
    const options = labelRows(labels).map((row) => ({ value: row.label.number, label: row.label.name, disabled: !row.isLeaf }));
    return (
      <Form layout="vertical" size="small" className={styles.details} disabled={isDisabled} aria-label={t("details")}>
        <Form.Item label={t("label")}>
          <Select showSearch={{ optionFilterProp: "label" }} value={chosen.label} options={options} aria-label={t("label")} onChange={(number: number) => session.useLabel(number)} />
        </Form.Item>
        {label?.attributes?.map((attribute) => <AttributeField key={attribute.name} attribute={attribute} annotation={chosen} />)}
        {chosen.track !== undefined && <p className={styles.none}>{t(chosen.auto ? "trackAuto" : "trackKey", { track: chosen.track })}</p>}
        {chosen.type !== "segment" && (
          <div className={styles.flags}>
            {FLAGS.map((flag) => (
              <Checkbox key={flag} checked={chosen[flag] ?? false} onChange={(event) => session.update(chosen.id, "attributes", { [flag]: event.target.checked || undefined })}>
                {t(`flag.${flag}`)}
              </Checkbox>
            ))}
          </div>
        )}
      </Form>
    );
  },
  (before, after) => before.labels === after.labels && before.isDisabled === after.isDisabled && SHOWN.every((field) => before.annotation[field] === after.annotation[field]),
);

function AttributeField({ attribute, annotation }: { attribute: LabelAttribute; annotation: Annotation }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const value = annotation.attributes?.[attribute.name];
  const put = (next: AttributeValue | null | undefined) => {
    const others = omit(annotation.attributes ?? {}, attribute.name);
    const isGiven = next !== null && next !== undefined && next !== "";
    session.update(annotation.id, "attributes", { attributes: isGiven ? { ...others, [attribute.name]: next } : others });
  };
  const isMissing = attribute.required === true && (value === undefined || value === "");
  return (
    <Form.Item label={attribute.type === "flag" ? undefined : attribute.name} required={attribute.required} validateStatus={isMissing ? "warning" : undefined} help={isMissing ? t("attributeNeeded") : undefined}>
      {attribute.type === "choice" && <Select allowClear value={value as string | undefined} aria-label={attribute.name} options={(attribute.choices ?? []).map((choice) => ({ value: choice, label: choice }))} onChange={put} />}
      {attribute.type === "number" && <InputNumber value={value as number | undefined} aria-label={attribute.name} onChange={put} style={{ width: "100%" }} />}
      {attribute.type === "text" && <Input key={annotation.id} defaultValue={value as string | undefined} aria-label={attribute.name} onBlur={(event) => event.target.value !== (value ?? "") && put(event.target.value)} />}
      {attribute.type === "flag" && (
        <Checkbox checked={value === true} onChange={(event) => put(event.target.checked)}>
          {attribute.name}
        </Checkbox>
      )}
    </Form.Item>
  );
}
