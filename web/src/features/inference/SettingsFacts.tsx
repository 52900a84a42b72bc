/** An entry's settings, of the entry or of a run that keeps its own copy. */
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ItemState } from "@/features/datasets/types";
import { projectPath } from "@/features/projects/current-project";
import { formatValue } from "@/features/training/parameters";
import { AssetLink } from "@/features/training/SettingsFacts";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import type { InferenceSettings } from "./types";
import commandStyles from "@/features/training/Training.module.css";

export function SettingsFacts({ project, settings }: { project: string; settings: InferenceSettings }) {
  const { t } = useTranslation(["inference", "training"]);
  const modelFacts = useModelFacts(project, settings);
  const codeFacts = useCodeFacts(project, settings);
  const commonFacts = useCommonFacts(settings);
  const pairs = (title: string, entries: [string, string][]) =>
    entries.length > 0 && (
      <Panel title={title}>
        <Facts facts={entries.map(([name, value]) => ({ key: name, label: name, value: <code>{value}</code> }))} />
      </Panel>
    );
  return (
    <>
      {settings.command && (
        <Panel title={t("training:field.command")} actions={<CopyButton text={settings.command} />}>
          <pre className={commandStyles.commandText}>{settings.command}</pre>
        </Panel>
      )}
      <Panel title={t("settings")}>
        <Facts facts={[...(settings.form === "model" ? modelFacts : codeFacts), ...commonFacts]} />
      </Panel>
      {pairs(t("training:form.parameters"), Object.entries(settings.parameters ?? {}).map(([name, value]) => [name, formatValue(value)]))}
      {pairs(t("training:form.environment"), Object.entries(settings.environment ?? {}))}
    </>
  );
}

function useModelFacts(project: string, { source, dataset, threshold, states, workers }: InferenceSettings): Fact[] {
  const { t } = useTranslation(["inference", "datasets"]);
  const format = useFormat();
  return [
    { key: "source", label: t("field.source"), value: <SourceLink project={project} source={source} /> },
    { key: "dataset", label: t("field.dataset"), value: dataset ? <AssetLink project={project} kind="datasets" refText={dataset} /> : "–" },
    { key: "threshold", label: t("field.threshold"), value: format.percent(threshold ?? 0) },
    { key: "states", label: t("field.states"), value: states?.length ? format.list(states.map((state) => t(`datasets:itemState.${state as ItemState}`))) : t("make.allStates") },
    { key: "workers", label: t("field.workers"), value: workers === null || workers === undefined ? t("make.workersAuto") : format.number(workers) },
  ];
}

function SourceLink({ project, source }: { project: string; source: InferenceSettings["source"] }) {
  if (source?.type === "model" && source.model) return <AssetLink project={project} kind="models" refText={source.model} />;
  if (source?.service) return <Link to={projectPath(project, "services", source.service)}>{source.service}</Link>;
  return <code>{[source?.url, source?.model].filter(Boolean).join(" ")}</code>;
}

function useCodeFacts(project: string, settings: InferenceSettings): Fact[] {
  const { t } = useTranslation(["inference", "training", "workloads"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  const refs = (kind: "algorithms" | "models" | "datasets", list: string[]) => (list.length === 0 ? none : list.map((ref) => <AssetLink key={ref} project={project} kind={kind} refText={ref} />));
  return [
    { key: "algorithm", label: t("training:field.algorithm"), value: refs("algorithms", settings.algorithm ? [settings.algorithm] : []) },
    { key: "datasets", label: t("training:field.datasets"), value: refs("datasets", settings.datasets ?? []) },
    { key: "models", label: t("field.models"), value: refs("models", settings.models ?? []) },
    { key: "image", label: t("training:field.image"), value: settings.image ?? t("workloads:ownPython") },
    { key: "nodes", label: t("training:field.nodes"), value: format.number(settings.nodes ?? 1) },
    { key: "launcher", label: t("training:field.launcher"), value: t(`training:launcher.${settings.launcher ?? "command"}`) },
    { key: "retries", label: t("training:field.retries"), value: format.number(settings.retries ?? 0) },
  ];
}

function useCommonFacts({ spec, priority, time_limit_s }: InferenceSettings): Fact[] {
  const { t } = useTranslation(["inference", "workloads"]);
  const format = useFormat();
  return [
    { key: "spec", label: t("field.spec"), value: spec ?? t("defaultSpec") },
    { key: "priority", label: t("field.priority"), value: t(`workloads:priority.${priority}`) },
    { key: "limit", label: t("field.timeLimit"), value: time_limit_s === null || time_limit_s === undefined ? t("make.noLimit") : format.duration(time_limit_s) },
  ];
}
