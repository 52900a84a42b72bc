/** How runs get here: three ways, each to be copied. */
import { Collapse } from "antd";
import { useTranslation } from "react-i18next";
import { CommandLine } from "@/ui/CommandLine";

export function HowToLog({ project, experiment }: { project: string; experiment?: string }) {
  const { t } = useTranslation("experiments");
  const { origin } = globalThis.location;
  const name = experiment ?? "learning-rates";
  const shell = `export MLFLOW_TRACKING_URI=${origin}/p/${encodeURIComponent(project)}\nexport MLFLOW_TRACKING_TOKEN=tm_…`;
  const mlflow = `import mlflow\n\nmlflow.set_experiment(${JSON.stringify(name)})\nwith mlflow.start_run():\n    mlflow.log_param("lr", 0.1)\n    mlflow.log_metric("loss", 0.31, step=1)`;
  const own = `import tidemill\n\nwith tidemill.start_run(experiment=${JSON.stringify(name)}, parameters={"lr": 0.1}) as run:\n    tidemill.log(loss=0.31, step=1)\n    run.log_file("model.pt")`;
  return (
    <>
      <p className="tm-muted">{t("how.text")}</p>
      <CommandLine label={t("how.where")} text={shell} />
      <CommandLine label={t("how.mlflow")} text={mlflow} />
      <CommandLine label={t("how.own")} text={own} />
    </>
  );
}

/** The same, out of the way until it is wanted. */
export function HowToLogFolded({ project }: { project: string }) {
  const { t } = useTranslation("experiments");
  return <Collapse ghost items={[{ key: "how", label: t("how.title"), children: <HowToLog project={project} /> }]} />;
}
