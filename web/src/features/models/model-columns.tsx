/** Columns of the list of models: what the newest version is for and how good it is. */
import { useQuery } from "@tanstack/react-query";
import { createContext, use } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AssetView } from "@/features/assets/types";
import type { ListColumn } from "@/ui/list/types";
import { listFacts } from "./api";
import { factsKey, factsQuery } from "./queries";
import type { FactsView } from "./types";
import { useMetricText, useMetricValue, useTaskText } from "./words";
import styles from "./Models.module.css";

const AT_ONCE = 200;

/** Facts by `model version`; `isWhole` when what is not there has none. */
interface Known {
  facts: ReadonlyMap<string, FactsView>;
  isWhole: boolean;
}

const NewestFacts = createContext<Known | null>(null);
const keyOf = (model: string, version: number) => `${version} ${model}`;

/** Reads the facts of many models at once for the columns within. */
export function ModelFactsOf({ project, children }: { project: string; children: ReactNode }) {
  const found = useQuery({ queryKey: [...factsKey, project, "newest"], queryFn: () => listFacts(project, { scope: project === "public" ? "public" : "project", sort: "-created_at", limit: AT_ONCE }) });
  const known = found.data && { facts: new Map(found.data.items.map((facts) => [keyOf(facts.model, facts.version), facts])), isWhole: !found.data.next };
  return <NewestFacts value={known ?? null}>{children}</NewestFacts>;
}

export function useModelColumns(): ListColumn<AssetView>[] {
  const { t } = useTranslation("models");
  const taskText = useTaskText();
  const metricText = useMetricText();
  const metricValue = useMetricValue();
  return [
    { key: "task", title: t("facts.task"), render: (asset) => <Of asset={asset} show={({ task }) => task && taskText(task)} /> },
    { key: "format", title: t("facts.format"), render: (asset) => <Of asset={asset} show={({ format }) => format} /> },
    {
      key: "primary",
      title: t("facts.quality"),
      render: (asset) => (
        <Of
          asset={asset}
          show={({ primary, primary_value: value }) =>
            primary !== null &&
            value !== null && (
              <span className={styles.metric}>
                <span className="tm-muted">{metricText(primary)}</span> {metricValue(primary, value)}
              </span>
            )
          }
        />
      ),
    },
  ];
}

function Of({ asset, show }: { asset: AssetView; show: (facts: FactsView) => ReactNode }) {
  const known = use(NewestFacts);
  const version = asset.latest_version;
  const held = version === null ? undefined : known?.facts.get(keyOf(asset.name, version));
  // A project with very many model versions: the few that were not among those read at once.
  const isMissing = known !== null && !known.isWhole && held === undefined && version !== null;
  const alone = useQuery({ ...factsQuery({ project: asset.project, model: asset.name, version: version ?? 0 }), enabled: isMissing });
  const facts = held ?? alone.data;
  return (facts?.state === "read" && show(facts)) || <span className="tm-muted">–</span>;
}
