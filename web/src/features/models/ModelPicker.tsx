/** A version of a model that says what it is: the project's own and public ones, with what they are for and how good they are. */
import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pickedFactsQuery } from "./queries";
import type { FactsView } from "./types";
import { useMetricText, useMetricValue, useTaskText } from "./words";
import styles from "./Models.module.css";

interface PickerProps {
  id?: string;
  project: string;
  /** Only models for this task. */
  task?: string;
  placeholder?: string;
  isDisabled?: boolean;
  /** Which of them can be chosen; all when left out. */
  can?: (facts: FactsView) => boolean;
  /** For where there is no label beside it. */
  label?: string;
}

interface ModelPickerProps extends PickerProps {
  /** `name@3` or `public/name@3`. */
  value?: string | null;
  onChange?: (reference: string | null) => void;
}

export function ModelPicker({ value, onChange, ...rest }: ModelPickerProps) {
  const choice = useChoice(rest);
  return <Select<string> {...choice} value={value ?? undefined} allowClear onChange={(next?: string) => onChange?.(next ?? null)} />;
}

interface ModelsPickerProps extends PickerProps {
  value?: string[];
  onChange?: (references: string[]) => void;
  most?: number;
}

/** Several of them. */
export function ModelsPicker({ value = [], onChange, most, ...rest }: ModelsPickerProps) {
  const choice = useChoice(rest);
  return <Select<string[]> {...choice} mode="multiple" maxCount={most} value={value} onChange={(next) => onChange?.(next)} />;
}

function useChoice({ id, project, task, placeholder, isDisabled, can, label }: PickerProps) {
  const { t } = useTranslation("models");
  const [q, setQ] = useState("");
  const found = useQuery(pickedFactsQuery(project, { q: q || undefined, task }));
  const rows = found.data?.items ?? [];
  const options = (isPublic: boolean) => rows.filter((row) => (row.project !== project) === isPublic).map((row) => ({ value: row.reference, label: row.reference, facts: row, disabled: can?.(row) === false }));
  const groups = [
    { label: t("pick.own"), title: t("pick.own"), options: options(false) },
    { label: t("pick.public"), title: t("pick.public"), options: options(true) },
  ].filter((group) => group.options.length > 0);
  return {
    id,
    "aria-label": label,
    className: styles.picker,
    disabled: isDisabled,
    loading: found.isFetching,
    status: found.isError ? ("error" as const) : undefined,
    placeholder: placeholder ?? t("pick.placeholder"),
    notFoundContent: found.isPending ? t("pick.searching") : found.isError ? t("pick.failed") : t("pick.none"),
    showSearch: { filterOption: false, onSearch: setQ },
    options: groups,
    optionRender: ({ data }: { data: { facts?: FactsView; label?: unknown } }) => (data.facts ? <Option facts={data.facts} /> : String(data.label)),
  };
}

function Option({ facts }: { facts: FactsView }) {
  const taskText = useTaskText();
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const known = [facts.task && taskText(facts.task), facts.format, facts.primary && facts.primary_value !== null && `${metricText(facts.primary)} ${metricValue(facts.primary, facts.primary_value)}`];
  return (
    <span className={styles.option}>
      {facts.reference}
      <small>{known.filter(Boolean).join(" · ")}</small>
    </span>
  );
}
