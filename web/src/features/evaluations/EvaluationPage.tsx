/** One evaluation: what was measured, where it goes wrong, and what that looks like. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { versionPath } from "@/features/assets/addresses";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { WorkState } from "@/features/datasets/works/WorkProgress";
import { RunLink } from "@/features/models/RunLink";
import { useTaskText } from "@/features/models/words";
import { useProjectName } from "@/features/projects/current-project";
import { parseRef } from "@/features/workloads/asset-ref";
import { WorkloadTail } from "@/features/workloads/WorkloadTail";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { EmptyState } from "@/ui/EmptyState";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import type { ThingTab } from "@/ui/ThingPage";
import { ClassTable } from "./ClassTable";
import { ConfusionTab } from "./ConfusionTab";
import { CurvesTab } from "./CurvesTab";
import { useEvaluationActions } from "./evaluation-actions";
import { EvaluationProgress } from "./EvaluationProgress";
import { MetricsPanel } from "./MetricsPanel";
import { evaluationQuery, evaluationsPath, isGoing } from "./queries";
import { readResult } from "./result";
import type { Result } from "./result";
import { ThresholdPanel } from "./ThresholdPanel";
import type { EvaluationDetail } from "./types";
import { datasetOf } from "./dataset-of";
import { WorstTab } from "./WorstTab";

export default function EvaluationPage() {
  const { t } = useTranslation("evaluations");
  const { evaluation: id = "" } = useParams();
  const project = useProjectName();
  const navigate = useNavigate();
  const taskText = useTaskText();
  const actionsOf = useEvaluationActions(project, () => void navigate(evaluationsPath(project)));
  const query = useQuery(evaluationQuery({ project, id }));
  const raw = query.data?.result;
  const result = useMemo(() => (raw ? readResult(raw) : null), [raw]);
  const tabsOf = useTabs(project, result);
  return (
    <ThingPage<EvaluationDetail>
      query={query}
      render={(evaluation) => ({
        name: <Names project={project} evaluation={evaluation} />,
        id: evaluation.id,
        badge: <WorkState state={evaluation.state} />,
        facts: (
          <>
            <span>{taskText(evaluation.task)}</span>
            <span>{t(`part.${evaluation.part === "all" ? "all" : "test"}`)}</span>
            <span>{t("madeBy", { name: evaluation.created_by })}</span>
            <RelativeTime at={evaluation.created_at} />
          </>
        ),
        actions: <ActionButtons actions={actionsOf(evaluation)} />,
        tabs: tabsOf(evaluation),
      })}
    />
  );
}

function Names({ project, evaluation }: { project: string; evaluation: EvaluationDetail }) {
  const { t } = useTranslation("evaluations");
  const { isPublic, name, version } = parseRef(evaluation.model);
  const of = datasetOf(evaluation);
  const model = version === null ? evaluation.model : <Link to={versionPath({ project: isPublic ? "public" : project, kind: "models", asset: name, version })}>{evaluation.model}</Link>;
  return (
    <span>
      {model} <span className="tm-muted">{t("on")}</span> {of ? <Link to={datasetVersionPath(of)}>{evaluation.dataset}</Link> : evaluation.dataset}
    </span>
  );
}

function useTabs(project: string, result: Result | null): (evaluation: EvaluationDetail) => ThingTab[] {
  const { t } = useTranslation("evaluations");
  const [, setParams] = useSearchParams();
  const toExamples = (found: Record<string, string>) => setParams({ tab: "worst", ...found });
  return (evaluation) => {
    if (!result) return [{ key: "overview", label: t("tab.overview"), content: <NotYet project={project} evaluation={evaluation} /> }];
    const labels = result.confusion?.labels ?? result.classes.map((row) => row.label);
    const tabs: (ThingTab | false)[] = [
      {
        key: "overview",
        label: t("tab.overview"),
        content: (
          <>
            <MetricsPanel metrics={evaluation.metrics} primary={evaluation.primary} />
            {result.thresholds.length > 1 && <ThresholdPanel rows={result.thresholds} initial={evaluation.threshold ?? 0.5} />}
            <ClassTable classes={result.classes} onClass={(truth) => toExamples({ truth })} />
            <About project={project} evaluation={evaluation} />
          </>
        ),
      },
      result.confusion !== null && { key: "confusion", label: t("tab.confusion"), content: <ConfusionTab confusion={result.confusion} onCell={(truth, predicted) => toExamples({ truth, predicted })} /> },
      result.curves.length > 0 && { key: "curves", label: t("tab.curves"), content: <CurvesTab curves={result.curves} classes={result.classes} /> },
      { key: "worst", label: t("tab.worst"), content: <WorstTab of={datasetOf(evaluation)} examples={result.worst} labels={labels} /> },
    ];
    return tabs.filter((tab) => tab !== false);
  };
}

/** Under way, or ended without a result. */
function NotYet({ project, evaluation }: { project: string; evaluation: EvaluationDetail }) {
  const { t } = useTranslation("evaluations");
  return (
    <>
      {isGoing(evaluation) || evaluation.error ? (
        <Panel title={isGoing(evaluation) ? t("going") : t("failed")}>
          <EvaluationProgress evaluation={evaluation} />
        </Panel>
      ) : (
        <EmptyState title={evaluation.state === "stopped" ? t("stopped") : t("noResult")} text={t("noResultText")} />
      )}
      {evaluation.state === "failed" && evaluation.workload_id && <WorkloadTail workload={{ project, id: evaluation.workload_id }} />}
      <About project={project} evaluation={evaluation} />
    </>
  );
}

function About({ project, evaluation }: { project: string; evaluation: EvaluationDetail }) {
  const { t } = useTranslation(["evaluations", "common"]);
  const format = useFormat();
  const { items, threshold, run, workload_id: workload, finished_at: finished } = evaluation;
  return (
    <Panel title={t("about.title")}>
      <Facts
        facts={[
          { key: "model", label: t("column.model"), value: evaluation.model },
          { key: "dataset", label: t("column.dataset"), value: evaluation.dataset },
          { key: "part", label: t("column.part"), value: t(`partText.${evaluation.part === "all" ? "all" : "test"}`) },
          ...(items === null ? [] : [{ key: "items", label: t("about.items"), value: format.number(items) }]),
          ...(threshold === null ? [] : [{ key: "threshold", label: t("threshold.title"), value: format.decimal(threshold, 2) }]),
          { key: "origin", label: t("column.origin"), value: run ? <RunLink project={project} run={run} /> : t(`origin.${evaluation.origin}`) },
          ...(finished ? [{ key: "finished", label: t("about.finished"), value: <RelativeTime at={finished} /> }] : []),
          ...(workload ? [{ key: "workload", label: t("about.workload"), value: <Link to={`/p/${encodeURIComponent(project)}/workloads/${workload}`}>{workload}</Link> }] : []),
        ]}
      />
    </Panel>
  );
}
