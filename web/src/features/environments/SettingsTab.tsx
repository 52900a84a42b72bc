import { useTranslation } from "react-i18next";
import { Facts, Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { useSecondsText } from "./LimitFields";
import { workspacePath } from "./workspace";
import type { EnvironmentInput, EnvironmentView } from "./types";
import { StopsAt } from "./StopsAt";
import styles from "./Environments.module.css";

export function SettingsTab({ environment }: { environment: EnvironmentView }) {
  const { t } = useTranslation("environments");
  const text = useSecondsText();
  const limit = (seconds: number | null) => (seconds ? text(seconds) : t("never"));
  return (
    <Panel>
      <Facts
        facts={[
          { key: "image", label: t("image"), value: environment.image },
          { key: "spec", label: t("spec"), value: environment.spec ?? environment.workload?.spec ?? "–" },
          { key: "nodes", label: t("nodes"), value: environment.nodes },
          { key: "time", label: t("settings.timeLimit"), value: limit(environment.time_limit_s) },
          { key: "idle", label: t("settings.idleLimit"), value: limit(environment.idle_limit_s) },
          { key: "left", label: t("remaining"), value: <StopsAt environment={environment} /> },
          { key: "started", label: t("settings.startedAt"), value: <RelativeTime at={environment.workload?.started_at} /> },
          { key: "created", label: t("settings.createdAt"), value: <RelativeTime at={environment.created_at} /> },
          { key: "inputs", label: t("settings.inputs"), value: <Inputs inputs={environment.inputs} /> },
        ]}
      />
    </Panel>
  );
}

function Inputs({ inputs }: { inputs: EnvironmentInput[] }) {
  const { t } = useTranslation("environments");
  if (inputs.length === 0) return t("settings.noInputs");
  return (
    <ul className={styles.inputs}>
      {inputs.map(({ kind, ref, target }) => (
        <li key={`${kind} ${ref}`}>
          {ref} <code className="tm-muted">{workspacePath(target)}</code>
        </li>
      ))}
    </ul>
  );
}
