/** Several runs side by side: how they were set, how they ended, their curves over each other. */
import { Checkbox, Skeleton, Table } from "antd";
import type { TableColumnType } from "antd";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useProjectName } from "@/features/projects/current-project";
import { Duration } from "@/features/workloads/Duration";
import { WorkloadState } from "@/features/workloads/WorkloadState";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { PageHeader } from "@/ui/PageHeader";
import { ScrollBox } from "@/ui/ScrollBox";
import { settingRows } from "./compare-rows";
import type { CompareRow } from "./compare-rows";
import { runPath, runQuery } from "./queries";
import { RunMetrics } from "./RunMetrics";
import type { RunView } from "./types";
import styles from "./Training.module.css";

export default function ComparePage() {
  const { t } = useTranslation("training");
  const project = useProjectName();
  const [params] = useSearchParams();
  const names = (params.get("runs") ?? "").split(",").filter(Boolean);
  const found = useQueries({ queries: names.map((run) => runQuery({ project, run })) });
  const failed = found.find((one) => one.isError && !one.data);
  const runs = found.flatMap((one) => (one.data ? [one.data] : []));
  return (
    <section>
      <PageHeader title={t("compare.title")} description={t("compare.text")} />
      {names.length === 0 && <EmptyState title={t("compare.none")} text={t("compare.noneText")} />}
      {failed && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
      {found.some((one) => one.isPending) && <Skeleton active />}
      {!failed && runs.length > 0 && runs.length === names.length && (
        <>
          <Differences project={project} runs={runs} />
          <RunMetrics project={project} runs={runs} />
        </>
      )}
    </section>
  );
}

function Differences({ project, runs }: { project: string; runs: RunView[] }) {
  const { t } = useTranslation("training");
  const format = useFormat();
  const [isShort, setShort] = useState(true);
  const rows = settingRows(runs, (value) => format.compact(value));
  const columns: TableColumnType<CompareRow>[] = [
    { key: "what", title: t("compare.what"), render: (_value, row) => <RowName row={row} /> },
    ...runs.map((run, index) => ({
      key: run.id,
      title: <Link to={runPath(project, run)}>{run.name}</Link>,
      render: (_value: unknown, row: CompareRow) => {
        if (row.key === "state") return <WorkloadState of={run} isShort />;
        if (row.key === "duration") return <Duration of={run} />;
        return <code>{row.values[index]}</code>;
      },
    })),
  ];
  return (
    <Panel
      title={t("compare.differences")}
      actions={
        <Checkbox checked={isShort} onChange={(event) => setShort(event.target.checked)}>
          {t("compare.onlyDifferent")}
        </Checkbox>
      }
    >
      <ScrollBox label={t("compare.differences")} className={styles.wide}>
        <Table<CompareRow> size="small" rowKey={(row) => `${row.group} ${row.key}`} columns={columns} dataSource={rows.filter((row) => !isShort || row.isDifferent)} pagination={false} />
      </ScrollBox>
    </Panel>
  );
}

/** A metric and a parameter may have the same name. */
function RowName({ row }: { row: CompareRow }) {
  const { t } = useTranslation("training");
  if (row.group === "setting") return t(`compare.setting.${row.key as "command"}`);
  return (
    <>
      {row.key} <span className="tm-muted">{t(`compare.${row.group}`)}</span>
    </>
  );
}
