/** On a run that was started from a dataset: how far it is, what came out, and what was chosen for it. */
import { useQuery } from "@tanstack/react-query";
import { Button, Progress } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { versionPath } from "@/features/assets/addresses";
import { datasetVersionPath } from "@/features/datasets/addresses";
import { evaluationPath } from "@/features/evaluations/queries";
import { AssetLink } from "@/features/training/SettingsFacts";
import { parseRef } from "@/features/workloads/asset-ref";
import { useFormat } from "@/lib/format";
import { Facts, Panel } from "@/ui/Facts";
import { getRunTraining } from "./api";
import { ChoiceTable } from "./ChoiceTable";
import type { RunTraining } from "./types";
import styles from "../Models.module.css";

const LIVE_MS = 3_000;
/** A model is made and its evaluation entered a moment after the run has ended. */
const AFTER_MS = 60_000;

interface RunTrainingPanelProps {
  project: string;
  run: { id: string; name: string; ended_at: string | null };
  isEnded: boolean;
}

export function RunTrainingPanel({ project, run, isEnded }: RunTrainingPanelProps) {
  const { t } = useTranslation("models");
  const { data } = useQuery({
    queryKey: ["training", "run", project, run.name, "from-dataset"],
    queryFn: () => getRunTraining(project, run.id),
    retry: false,
    refetchInterval: ({ state }) => (state.data && isAwaited(state.data, run.ended_at, isEnded) ? LIVE_MS : false),
  });
  if (!data) return null;
  return (
    <Panel title={t("run.title")}>
      {!isEnded && <Running training={data} />}
      <Facts
        facts={[
          { key: "dataset", label: t("run.dataset"), value: <Link to={datasetVersionPath({ project, dataset: data.dataset_name, version: data.dataset_version })}>{data.dataset}</Link> },
          { key: "labelled", label: t("run.labelled"), value: <Number value={data.labelled} /> },
          { key: "algorithm", label: t("train.algorithm"), value: <AssetLink project={project} kind="algorithms" refText={data.algorithm} /> },
          { key: "model", label: t("run.model"), value: data.model ? <ModelLink project={project} reference={data.model} /> : <span className="tm-muted">{isEnded ? t("run.none") : t("run.later")}</span> },
          { key: "evaluation", label: t("run.evaluation"), value: data.evaluation ? <Link to={evaluationPath(project, data.evaluation)}>{t("run.seeEvaluation")}</Link> : <span className="tm-muted">{isEnded ? t("run.none") : t("run.later")}</span> },
        ]}
      />
      <Choices training={data} />
    </Panel>
  );
}

function Running({ training: { progress, remaining_s: remaining } }: { training: RunTraining }) {
  const { t } = useTranslation("models");
  const format = useFormat();
  if (progress === null) return null;
  return (
    <div className={styles.running} style={{ marginBottom: 16 }} role="status">
      <Progress percent={Math.floor(progress * 100)} status="active" aria-label={t("run.progress")} />
      {remaining !== null && <span className="tm-muted">{t("run.remaining", { time: format.duration(Math.max(0, remaining)) })}</span>}
    </div>
  );
}

function Choices({ training }: { training: RunTraining }) {
  const { t } = useTranslation("models");
  const [isOpen, setOpen] = useState(false);
  if (training.choices.length === 0) return null;
  return (
    <div style={{ marginTop: 16 }}>
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t("run.hideChoices") : t("run.showChoices")}
      </Button>
      {isOpen && <ChoiceTable choices={training.choices} />}
    </div>
  );
}

function ModelLink({ project, reference }: { project: string; reference: string }) {
  const { isPublic, name, version } = parseRef(reference);
  if (version === null) return reference;
  return <Link to={`${versionPath({ project: isPublic ? "public" : project, kind: "models", asset: name, version })}?tab=overview`}>{reference}</Link>;
}

function Number({ value }: { value: number }) {
  return useFormat().number(value);
}

function isAwaited({ model, evaluation }: RunTraining, endedAt: string | null, isEnded: boolean): boolean {
  if (!isEnded) return true;
  const isFresh = endedAt !== null && Date.now() - Date.parse(endedAt) < AFTER_MS;
  return isFresh && (model === null || evaluation === null);
}
