/** What each of the model's labels is called here: as suggested, chosen by hand, made new, or left out. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Alert, Button, Form, Input, Select, Switch, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { labelTree } from "@/features/datasets/labels/label-tree";
import type { LabelView } from "@/features/datasets/types";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { targetOf } from "./auto-values";
import type { AutoValues } from "./auto-values";
import type { MappedLabel, MappingView, Target } from "./types";
import styles from "./Auto.module.css";

/** So many rows are shown before one asks for all; those that match come first. */
const SHOWN = 12;

interface MappingFieldsProps {
  query: UseQueryResult<MappingView>;
  hasSource: boolean;
  labels: LabelView[];
}

export function MappingFields({ query, hasSource, labels }: MappingFieldsProps) {
  const { t } = useTranslation("auto");
  if (!hasSource) return <p className={styles.note}>{t("mapping.chooseFirst")}</p>;
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const found = query.data;
  return (
    <>
      {!found.fits && <Alert className={styles.alert} type="warning" showIcon title={found.problem ?? t("mapping.fitsNot")} />}
      {found.labels.length === 0 ? (
        <p className={styles.note}>{t("mapping.noLabels")}</p>
      ) : (
        <>
          {found.unmatched > 0 && (
            <Form.Item name="makeLabels" label={t("mapping.make")} required valuePropName="checked" extra={t("mapping.makeHint", { count: found.unmatched })}>
              <Switch aria-label={t("mapping.make")} />
            </Form.Item>
          )}
          <Form.Item name="mapping" noStyle>
            <MappingTable found={found} labels={labels} />
          </Form.Item>
        </>
      )}
    </>
  );
}

interface MappingTableProps {
  found: MappingView;
  labels: LabelView[];
  value?: AutoValues["mapping"];
  onChange?: (mapping: AutoValues["mapping"]) => void;
}

function MappingTable({ found, labels, value, onChange }: MappingTableProps) {
  const { t } = useTranslation("auto");
  const makeLabels = Form.useWatch<boolean>("makeLabels") ?? false;
  const [q, setQ] = useState("");
  const [isAll, setAll] = useState(false);
  const ordered = [...found.labels.filter((label) => label.suggested), ...found.labels.filter((label) => !label.suggested)];
  const matching = q ? ordered.filter((label) => label.name.toLowerCase().includes(q.toLowerCase())) : ordered;
  const shown = isAll || q ? matching : matching.slice(0, SHOWN);
  const put = (name: string, target: Target) => onChange?.({ ...value, [name]: target });
  return (
    <div className={styles.mapping}>
      {found.labels.length > SHOWN && <Input.Search allowClear size="small" value={q} placeholder={t("mapping.find")} aria-label={t("mapping.find")} onChange={(event) => setQ(event.target.value)} />}
      <table>
        <thead>
          <tr>
            <th scope="col">{t("mapping.theirs")}</th>
            <th scope="col">{t("mapping.ours")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((label) => (
            <Row key={label.name} label={label} labels={labels} target={targetOf(label, { mapping: value, makeLabels })} isByHand={value?.[label.name] !== undefined} onChange={(target) => put(label.name, target)} />
          ))}
        </tbody>
      </table>
      {shown.length < matching.length && (
        <Button size="small" type="link" onClick={() => setAll(true)}>
          {t("mapping.all", { count: matching.length })}
        </Button>
      )}
    </div>
  );
}

const NONE = "none";
const NEW = "new";

interface RowProps {
  label: MappedLabel;
  labels: LabelView[];
  target: Target;
  isByHand: boolean;
  onChange: (target: Target) => void;
}

function Row({ label, labels, target, isByHand, onChange }: RowProps) {
  const { t } = useTranslation("auto");
  const isKnown = labels.some((one) => one.name === label.name);
  const options = [
    { value: NONE, label: t("mapping.leaveOut"), colour: null, depth: 0 },
    ...(isKnown ? [] : [{ value: NEW, label: t("mapping.makeOne", { name: label.name }), colour: null, depth: 0 }]),
    ...labelTree(labels).map(({ label: one, depth }) => ({ value: String(one.number), label: one.name, colour: one.colour, depth })),
  ];
  return (
    <tr>
      <th scope="row">
        {label.name} {label.reason && !isByHand && <Tag>{t(`mapping.reason.${label.reason}`)}</Tag>}
      </th>
      <td>
        <Select
          size="small"
          className={styles.target}
          aria-label={t("mapping.targetOf", { name: label.name })}
          showSearch={{ optionFilterProp: "label" }}
          value={target === null ? NONE : typeof target === "string" ? NEW : String(target)}
          options={options}
          optionRender={({ data }) => (
            <span className={styles.targetOption} style={{ paddingLeft: data.depth * 16 }}>
              {data.colour && <i style={{ background: data.colour }} aria-hidden="true" />}
              {data.label}
            </span>
          )}
          onChange={(chosen: string) => onChange(chosen === NONE ? null : chosen === NEW ? label.name : Number(chosen))}
        />
      </td>
    </tr>
  );
}
