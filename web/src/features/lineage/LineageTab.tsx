/** What a version came from and what came from it: a picture, and the same as lists for keyboard and screen reader. */
import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { lazy, Suspense } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { readLineage } from "@/features/assets/api";
import { refOf } from "@/features/assets/asset-actions";
import { versionsKey } from "@/features/assets/queries";
import type { AssetView, LineageNode, LineageView, VersionView } from "@/features/assets/types";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { Panel } from "@/ui/Facts";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { useNodeText } from "./node-text";
import { NodeOrigin } from "./NodeOrigin";
import { splitLineage } from "./reach";
import styles from "./Lineage.module.css";

const LineageGraph = lazy(() => import("./LineageGraph"));

const DEPTHS = [1, 3, 5, 10];
const DEPTH = 3;

export function LineageTab({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const [params, changeAddress] = useAddress();
  const depth = Number(params.get("depth") ?? DEPTH);
  const ref = { ...refOf(asset), version: version.number };
  const lineage = useQuery({ queryKey: [...versionsKey(ref), "lineage", version.number, depth], queryFn: () => readLineage(ref, depth) });
  if (lineage.isPending) return <Loading />;
  if (lineage.isError) return <ErrorState error={lineage.error} onRetry={() => void lineage.refetch()} />;
  return (
    <LineageShown lineage={lineage.data} of={`${version.id} ${depth}`}>
      <Select
        size="small"
        aria-label={t("lineage.depth")}
        value={depth}
        options={DEPTHS.map((steps) => ({ value: steps, label: t("lineage.steps", { count: steps }) }))}
        onChange={(steps: number) => changeAddress({ depth: String(steps) })}
      />
    </LineageShown>
  );
}

interface LineageShownProps {
  lineage: LineageView;
  /** Whose lineage it is: another one's picture is drawn anew. */
  of: string;
  /** Tools above the picture. */
  children?: ReactNode;
}

/** A lineage of anything: of a version, or of a service that runs some. */
export function LineageShown({ lineage, of, children }: LineageShownProps) {
  const { t } = useTranslation("assets");
  if (lineage.nodes.length <= 1) return <EmptyState title={t("lineage.none")} text={t("lineage.noneText")} />;
  const { sources, results } = splitLineage(lineage.nodes, lineage.edges);
  return (
    <>
      <div className={styles.tools}>
        {children}
        {lineage.truncated && <span className="tm-muted">{t("lineage.truncated")}</span>}
      </div>
      <div className={styles.graph}>
        <Suspense fallback={<Loading />}>
          <LineageGraph key={of} lineage={lineage} />
        </Suspense>
      </div>
      <div className={styles.lists}>
        <NodeList title={t("lineage.sources")} none={t("lineage.noSources")} nodes={sources} />
        <NodeList title={t("lineage.results")} none={t("lineage.noResults")} nodes={results} />
      </div>
    </>
  );
}

function NodeList({ title, none, nodes }: { title: string; none: string; nodes: LineageNode[] }) {
  const text = useNodeText();
  return (
    <Panel title={title}>
      {nodes.length === 0 && <span className="tm-muted">{none}</span>}
      <ul>
        {nodes.map((node) => (
          <li key={node.id}>
            {node.link ? <Link to={node.link}>{node.label}</Link> : node.label}
            <div className="tm-muted">
              {text(node)}
              <NodeOrigin node={node} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
