/** A task's settings, of the task or of a run that keeps its own copy. */
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { assetPath, versionPath } from "@/features/assets/addresses";
import { parseRef } from "@/features/workloads/asset-ref";
import { useFormat } from "@/lib/format";
import { CopyButton } from "@/ui/CopyText";
import { Facts, Panel } from "@/ui/Facts";
import type { Fact } from "@/ui/Facts";
import { formatValue } from "./parameters";
import { DATA } from "./task-values";
import type { TaskSettings } from "./types";
import styles from "./Training.module.css";

export function SettingsFacts({ project, settings }: { project: string; settings: TaskSettings }) {
  const { t } = useTranslation("training");
  return (
    <>
      <Panel title={t("field.command")} actions={<CopyButton text={settings.command} />}>
        <pre className={styles.commandText}>{settings.command}</pre>
      </Panel>
      <Panel title={t("settings")}>
        <Facts facts={useSettingFacts(project, settings)} />
      </Panel>
      <PairsPanel title={t("form.parameters")} pairs={Object.entries(settings.parameters).map(([name, value]) => [name, formatValue(value)])} />
      <PairsPanel title={t("form.environment")} pairs={Object.entries(settings.environment)} />
    </>
  );
}

function useSettingFacts(project: string, settings: TaskSettings): Fact[] {
  const { t } = useTranslation(["training", "workloads"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  const refs = (kind: "algorithms" | "models" | "datasets", list: string[]) =>
    list.length === 0 ? none : list.map((ref) => <AssetLink key={ref} project={project} kind={kind} refText={ref} />);
  const { window } = settings;
  const datasets = settings.inputs.filter((input) => input.startsWith(DATA)).map((input) => input.slice(DATA.length));
  const further = settings.inputs.filter((input) => !input.startsWith(DATA));
  return [
    { key: "algorithm", label: t("field.algorithm"), value: settings.algorithm ? refs("algorithms", [settings.algorithm]) : none },
    { key: "datasets", label: t("field.datasets"), value: refs("datasets", datasets) },
    { key: "models", label: t("field.models"), value: refs("models", settings.models) },
    { key: "inputs", label: t("field.inputs"), value: further.length === 0 ? none : further.join(", ") },
    { key: "image", label: t("field.image"), value: settings.image ?? t("workloads:ownPython") },
    { key: "spec", label: t("field.spec"), value: settings.spec ?? t("defaultSpec") },
    { key: "nodes", label: t("field.nodes"), value: format.number(settings.nodes) },
    {
      key: "launcher",
      label: t("field.launcher"),
      value: settings.processes_per_node ? t("launcherWith", { launcher: t(`launcher.${settings.launcher}`), count: settings.processes_per_node }) : t(`launcher.${settings.launcher}`),
    },
    { key: "save", label: t("field.saveModel"), value: settings.save_model ?? none },
    { key: "priority", label: t("field.priority"), value: t(`workloads:priority.${settings.priority}`) },
    { key: "preemptible", label: t("field.preemptible"), value: settings.preemptible ? t("yes") : t("no") },
    { key: "retries", label: t("field.retries"), value: format.number(settings.retries) },
    { key: "limit", label: t("field.timeLimit"), value: settings.time_limit_s === null ? t("form.noLimit") : format.duration(settings.time_limit_s) },
    { key: "window", label: t("form.window"), value: window ? t("windowText", { start: window.start, end: window.end, zone: window.zone }) : none },
  ];
}

export function AssetLink({ project, kind, refText }: { project: string; kind: "algorithms" | "models" | "datasets"; refText: string }) {
  const { isPublic, name, version } = parseRef(refText);
  const place = { project: isPublic ? "public" : project, kind, asset: name };
  return (
    <div>
      <Link to={version === null ? assetPath(place) : versionPath({ ...place, version })}>{refText}</Link>
    </div>
  );
}

function PairsPanel({ title, pairs }: { title: string; pairs: [string, string][] }) {
  if (pairs.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts facts={pairs.map(([name, value]) => ({ key: name, label: name, value: <code>{value}</code> }))} />
    </Panel>
  );
}
