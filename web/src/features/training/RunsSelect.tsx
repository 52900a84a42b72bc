import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { listRuns } from "./api";
import { refOf, runsKey } from "./queries";
import type { RunView } from "./types";
import styles from "./Training.module.css";

const SHOWN = 30;
const MOST = 19;

interface RunsSelectProps {
  project: string;
  /** The run that is looked at; others of its task come first to mind. */
  run: RunView;
  value: string[];
  onChange: (runs: string[]) => void;
}

/** Further runs whose curves are laid over this one's. */
export function RunsSelect({ project, run, value, onChange }: RunsSelectProps) {
  const { t } = useTranslation("training");
  const [q, setQ] = useState("");
  const runs = useQuery({
    queryKey: [...runsKey(project), "select", run.task_id, q],
    queryFn: () => listRuns(project, { q: q || undefined, limit: SHOWN, filters: q || run.task_id === null ? {} : { task: run.task_id } }),
    placeholderData: keepPreviousData,
  });
  const offered = (runs.data?.items ?? []).filter((other) => other.id !== run.id);
  return (
    <Select<string[]>
      className={styles.runs}
      mode="multiple"
      maxCount={MOST}
      maxTagCount="responsive"
      aria-label={t("metrics.with")}
      placeholder={t("metrics.with")}
      value={value}
      loading={runs.isFetching}
      showSearch={{ filterOption: false, onSearch: setQ }}
      notFoundContent={t("metrics.noOthers")}
      options={offered.map((other) => ({ value: refOf(other), label: other.name }))}
      onChange={onChange}
    />
  );
}
