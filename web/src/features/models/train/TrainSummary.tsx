import { Spin } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { startBody, newTraining } from "./train-values";
import type { TrainValues } from "./train-values";
import type { TrainingPlan } from "./types";

/** In a few sentences: what will be trained from what, for how long, and what comes out. */
export function TrainSummary({ plan, values, isLate }: { plan: TrainingPlan; values: TrainValues; isLate: boolean }) {
  const { t } = useTranslation("models");
  const format = useFormat();
  const changed = Object.keys(startBody({ ...newTraining(), ...values }, plan).parameters ?? {}).length;
  return (
    <Spin spinning={isLate} size="small">
      <p>{plan.model ? t("train.summaryFrom", { algorithm: plan.algorithm ?? "–", model: plan.model }) : t("train.summaryScratch", { algorithm: plan.algorithm ?? "–" })}</p>
      {plan.time_budget_s > 0 && <p>{t("train.summaryTime", { time: format.duration(plan.time_budget_s) })}</p>}
      <p>{t("train.summaryModel", { model: values.save_model?.trim() || plan.save_model })}</p>
      <p className="tm-muted">{changed === 0 ? t("train.summaryChosen") : t("train.summaryChanged", { count: changed })}</p>
    </Spin>
  );
}
