import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Panel } from "@/ui/Facts";
import { readLogs } from "./api";
import { PLAIN } from "./logs/ansi";
import { LogText } from "./logs/LogText";
import { workloadsKey } from "./queries";
import type { WorkloadRef } from "./types";
import styles from "./Workloads.module.css";

const BYTES = 4096;
const LINES = 12;

/** The last lines a failed workload wrote, where its failure is told: mostly they say why. */
export function WorkloadTail({ workload }: { workload: WorkloadRef }) {
  const { t } = useTranslation("workloads");
  const tail = useQuery({
    queryKey: [...workloadsKey, "one", workload.id, "tail"],
    queryFn: () => readLogs(workload, { node: 0, offset: -BYTES, limit: BYTES }),
  });
  const lines = (tail.data?.text ?? "").trimEnd().split("\n").slice(-LINES);
  if (lines.join("") === "") return null;
  return (
    <Panel title={t("lastLines")}>
      <pre className={styles.tail}>
        {lines.map((line, index) => (
          <div key={index}>
            <LogText text={line} style={PLAIN} />
          </div>
        ))}
      </pre>
    </Panel>
  );
}
