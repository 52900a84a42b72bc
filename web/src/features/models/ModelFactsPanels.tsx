/** What a model version says of itself: what it is for, how good it is, which labels it knows, what it was made with. */
import { useQuery } from "@tanstack/react-query";
import { Alert, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { parseRef } from "@/features/workloads/asset-ref";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import { labelNames, madeWith } from "./facts";
import { factsQuery } from "./queries";
import { RunLink } from "./RunLink";
import { useValueText } from "./train/ChoiceTable";
import type { FactsView, ModelRef } from "./types";
import { useMetricText, useMetricValue, useTaskText } from "./words";
import styles from "./Models.module.css";

const LABELS_SHOWN = 40;

export function ModelFactsPanels({ model }: { model: ModelRef }) {
  const { t } = useTranslation("models");
  const { data: facts } = useQuery(factsQuery(model));
  if (!facts || facts.state === "none") return null;
  if (facts.state === "broken") return <Alert type="warning" showIcon style={{ marginBottom: 16 }} title={t("facts.broken")} description={facts.problem} />;
  return (
    <>
      <Purpose project={model.project} facts={facts} />
      <Labels facts={facts} />
      <MadeWith facts={facts} />
    </>
  );
}

function Purpose({ project, facts }: { project: string; facts: FactsView }) {
  const { t } = useTranslation("models");
  const taskText = useTaskText();
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  const known: (Fact | false)[] = [
    { key: "task", label: t("facts.task"), value: facts.task ? taskText(facts.task) : "–" },
    facts.primary !== null && { key: "primary", label: metricText(facts.primary), value: <strong>{metricValue(facts.primary, facts.primary_value)}</strong> },
    facts.adapter !== null && { key: "adapter", label: t("facts.adapter"), value: <code>{facts.adapter}</code> },
    facts.dataset !== null && { key: "dataset", label: t("facts.dataset"), value: <DatasetLink project={project} reference={facts.dataset} /> },
    facts.run !== null && { key: "run", label: t("facts.run"), value: <RunLink project={project} run={facts.run} /> },
  ];
  return (
    <Panel title={t("facts.title")}>
      <Facts facts={known.filter((fact) => fact !== false)} />
    </Panel>
  );
}

function DatasetLink({ project, reference }: { project: string; reference: string }) {
  const { isPublic, name, version } = parseRef(reference);
  if (version === null) return reference;
  return <Link to={datasetVersionPath({ project: isPublic ? "public" : project, dataset: name, version })}>{reference}</Link>;
}

function Labels({ facts }: { facts: FactsView }) {
  const { t } = useTranslation("models");
  const format = useFormat();
  const [isAll, setAll] = useState(false);
  const names = labelNames(facts);
  if (names.length === 0) return null;
  return (
    <Panel title={t("facts.labels", { count: names.length, number: format.number(names.length) })}>
      <ul className={styles.labels}>
        {names.slice(0, isAll ? undefined : LABELS_SHOWN).map((name, at) => (
          <li key={at}>{name}</li>
        ))}
      </ul>
      {names.length > LABELS_SHOWN && (
        <Button size="small" style={{ marginTop: 12 }} onClick={() => setAll(!isAll)}>
          {isAll ? t("facts.fewerLabels") : t("facts.allLabels", { number: format.number(names.length) })}
        </Button>
      )}
    </Panel>
  );
}

function MadeWith({ facts }: { facts: FactsView }) {
  const { t } = useTranslation("models");
  const valueText = useValueText();
  const { algorithm, parameters } = madeWith(facts);
  if (algorithm === null && parameters.length === 0) return null;
  return (
    <Panel title={t("facts.madeWith")}>
      <Facts
        facts={[
          ...(algorithm === null ? [] : [{ key: " algorithm", label: t("train.algorithm"), value: <code>{algorithm}</code> }]),
          ...parameters.map(([name, value]) => ({ key: name, label: name, value: valueText(value) })),
        ]}
      />
    </Panel>
  );
}
