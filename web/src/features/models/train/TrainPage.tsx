/** Training from a dataset version: everything is chosen, says why, and can be chosen otherwise. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Form, Skeleton } from "antd";
import type { FormInstance } from "antd";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { versionKey } from "@/features/datasets/queries";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { runPath, useRefreshTraining } from "@/features/training/queries";
import { ErrorState } from "@/ui/ErrorState";
import { MakePage } from "@/ui/MakePage";
import { NotFound } from "@/ui/NotFound";
import { useNotify } from "@/ui/notify";
import { getPlan, startTraining } from "./api";
import type { Wishes } from "./api";
import { PlanFacts, Problems } from "./PlanFacts";
import { chosenValues, followedValues, newTraining, startBody, trainCommand, wishesOf } from "./train-values";
import type { TrainValues } from "./train-values";
import { TrainFields } from "./TrainFields";
import { TrainSummary } from "./TrainSummary";
import type { TrainingPlan } from "./types";

const planQuery = (ref: DatasetVersionRef, wishes: Wishes) => ({ queryKey: [...versionKey(ref), "training-plan", wishes] as const, queryFn: () => getPlan(ref, wishes) });

export default function TrainPage() {
  const { dataset = "", version = "" } = useParams();
  const ref = { project: useProjectName(), dataset, version: Number(version) };
  const plan = useQuery(planQuery(ref, {}));
  if (plan.isPending) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (isNotFound(plan.error)) return <NotFound />;
  if (!plan.data) return <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />;
  return <Train of={ref} first={plan.data} />;
}

function Train({ of, first }: { of: DatasetVersionRef; first: TrainingPlan }) {
  const { t } = useTranslation("models");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshTraining();
  const [form] = Form.useForm<TrainValues>();
  const { plan, isLate, query } = usePlan(of, first, form);
  const canWrite = useProjectPermission(of.project, "training.write");
  const refusal = plan.can_train ? undefined : (plan.problems[0]?.message ?? t("train.cannot"));
  const start = async () => {
    // Folded fields count too, which the submitted values leave out.
    const values = form.getFieldsValue(true) as TrainValues;
    const { run } = await startTraining(of, startBody(values, plan));
    notify.done(t("train.started", { name: run.name }));
    void refresh();
    void navigate(runPath(of.project, run));
  };
  return (
    <MakePage<TrainValues>
      title={t("train.title", { dataset: plan.dataset })}
      form={form}
      initialValues={{ ...newTraining(), parameters: chosenValues(first.choices) }}
      submitText={t("train.start")}
      disabledReason={canWrite ? refusal : t("train.notAllowed")}
      onSubmit={start}
      onCancel={() => void navigate(datasetVersionPath(of))}
      summary={(values) => <TrainSummary plan={plan} isLate={isLate} values={values} />}
      command={(values) => trainCommand(plan.dataset, startBody({ ...newTraining(), ...values }, plan))}
    >
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      <Problems of={of} plan={plan} />
      <PlanFacts plan={plan} />
      <TrainFields plan={plan} />
    </MakePage>
  );
}

/** The plan for what is wished; values that nobody changed follow it. */
function usePlan(of: DatasetVersionRef, first: TrainingPlan, form: FormInstance<TrainValues>) {
  const algorithm = Form.useWatch("algorithm", form) ?? null;
  const model = Form.useWatch("model", form) ?? null;
  const spec = Form.useWatch("spec", form) ?? null;
  const budget = Form.useWatch("time_budget_s", form) ?? null;
  const query = useQuery({ ...planQuery(of, wishesOf({ algorithm, model, spec, time_budget_s: budget })), placeholderData: keepPreviousData, retry: false });
  const plan = query.data ?? first;
  const follow = useEffectEvent((before: TrainingPlan) => form.setFieldsValue({ parameters: followedValues(form.getFieldValue("parameters") as TrainValues["parameters"], before, plan) }));
  const last = useRef(first);
  useEffect(() => {
    if (last.current === plan) return;
    follow(last.current);
    last.current = plan;
  }, [plan]);
  return { plan, isLate: query.isPlaceholderData, query };
}
