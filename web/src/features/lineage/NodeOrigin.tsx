/** Who or what a node is owed to: the people who annotated a dataset, the run that made a model. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { LineageNode } from "@/features/assets/types";
import { statisticsQuery } from "@/features/datasets/queries";
import { factsQuery } from "@/features/models/queries";
import { RunLink } from "@/features/models/RunLink";
import { useFormat } from "@/lib/format";

const PEOPLE_SHOWN = 5;

export function NodeOrigin({ node }: { node: LineageNode }) {
  const number = Number(node.version);
  if (!node.exists || node.project === null || node.link === null || !Number.isInteger(number)) return null;
  const place = { project: node.project, name: node.name, version: number };
  if (node.kind === "dataset") return <Annotators {...place} />;
  if (node.kind === "model") return <MadeByRun {...place} />;
  return null;
}

interface PlaceProps {
  project: string;
  name: string;
  version: number;
}

function Annotators({ project, name, version }: PlaceProps) {
  const { t } = useTranslation("assets");
  const format = useFormat();
  const { data } = useQuery({ ...statisticsQuery({ project, dataset: name, version }), staleTime: 60_000 });
  const people = (data?.annotators ?? []).map((one) => one.name);
  if (people.length === 0) return null;
  const shown = people.length > PEOPLE_SHOWN ? [...people.slice(0, PEOPLE_SHOWN), "…"] : people;
  return <div>{t("lineage.annotated", { names: format.list(shown) })}</div>;
}

function MadeByRun({ project, name, version }: PlaceProps) {
  const { t } = useTranslation("assets");
  const { data: facts } = useQuery(factsQuery({ project, model: name, version }));
  if (!facts?.run) return null;
  return (
    <div>
      {t("lineage.run")} <RunLink project={project} run={facts.run} />
    </div>
  );
}
