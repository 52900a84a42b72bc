import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import { useTaskText } from "../words";
import type { TrainingPlan } from "./types";

/** What stands in the way, and what to do about it. */
export function Problems({ of, plan }: { of: DatasetVersionRef; plan: TrainingPlan }) {
  const { t } = useTranslation("models");
  return plan.problems.map((problem) => (
    <Alert
      key={problem.code}
      type="warning"
      showIcon
      style={{ marginBottom: 16 }}
      title={problem.message}
      description={
        <>
          {problem.hint && <div>{problem.hint}</div>}
          <div>
            <Link to={datasetVersionPath(of)}>{t("train.toVersion")}</Link>
          </div>
        </>
      }
    />
  ));
}

/** What the choices were made from. */
export function PlanFacts({ plan }: { plan: TrainingPlan }) {
  const { t } = useTranslation("models");
  const format = useFormat();
  const taskText = useTaskText();
  const number = (key: string) => (typeof plan.facts[key] === "number" ? plan.facts[key] : null);
  const { accelerator } = plan.facts;
  const [least, most] = [number("smallest_class"), number("largest_class")];
  const classesText = () => {
    const classes = format.number(number("classes") ?? 0);
    if (least === null || most === null) return classes;
    return least === most ? t("train.classesEven", { classes, each: format.number(least) }) : t("train.classesOf", { classes, least: format.number(least), most: format.number(most) });
  };
  const facts: (Fact | false)[] = [
    { key: "task", label: t("facts.task"), value: taskText(plan.task) },
    number("labelled") !== null && { key: "labelled", label: t("train.labelled"), value: t("train.labelledOf", { labelled: format.number(number("labelled") ?? 0), items: format.number(number("items") ?? 0) }) },
    number("classes") !== null && { key: "classes", label: t("train.classes"), value: classesText() },
    { key: "hardware", label: t("train.hardware"), value: (number("accelerators") ?? 0) > 0 ? t("train.accelerators", { count: number("accelerators") ?? 0, kind: typeof accelerator === "string" ? accelerator : "" }) : t("train.cpus", { count: number("cpus") ?? 0, cpus: format.decimal(number("cpus") ?? 0, 1) }) },
  ];
  return (
    <Panel title={t("train.data")}>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Panel>
  );
}
