/** A terminal with what belongs around it: which node, how the line is, a window of its own. */
import { ExpandOutlined, ReloadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { NodeSelect } from "@/features/workloads/NodeSelect";
import type { NodeView } from "@/features/workloads/types";
import { Loading } from "@/ui/Loading";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import { terminalPath } from "./addresses";
import { terminalAddress } from "./connection";
import type { Link, LinkState } from "./connection";
import styles from "./Terminal.module.css";

const Terminal = lazy(() => import("./Terminal"));

const TONES: Record<LinkState["kind"], BadgeTone> = { connecting: "starting", open: "running", waiting: "stopping", over: "stopped" };

interface TerminalPanelProps {
  project: string;
  workload: { id: string; name: string; nodes: NodeView[] };
  /** It has the window to itself already. */
  isAlone?: boolean;
}

export function TerminalPanel({ project, workload, isAlone = false }: TerminalPanelProps) {
  const { t } = useTranslation("terminal");
  const [node, setNode] = useState(0);
  const [state, setState] = useState<LinkState>({ kind: "connecting" });
  const link = useRef<Link | null>(null);
  const tools = useRef<HTMLDivElement>(null);
  return (
    <section className={styles.panel} data-alone={isAlone || undefined} aria-label={t("title", { name: workload.name })}>
      <div className={styles.tools} ref={tools}>
        <StateBadge tone={TONES[state.kind]} text={stateText(state)} />
        <NodeSelect nodes={workload.nodes} value={node} onChange={setNode} />
        <span className={styles.hint}>{t("keys")}</span>
        {(state.kind === "over" || state.kind === "waiting") && (
          <Button size="small" icon={<ReloadOutlined aria-hidden />} onClick={() => link.current?.again()}>
            {state.kind === "over" ? t("newShell") : t("tryNow")}
          </Button>
        )}
        {!isAlone && (
          <Button size="small" icon={<ExpandOutlined aria-hidden />} href={terminalPath(project, workload.id)} target="_blank" rel="noopener">
            {t("ownWindow")}
          </Button>
        )}
      </div>
      <div className={styles.frame}>
        <Suspense fallback={<Loading />}>
          <Terminal
            key={node}
            address={terminalAddress(project, workload.id, node)}
            label={t("screen", { name: workload.name })}
            newShellText={t("reconnected")}
            onState={setState}
            onLink={(opened) => (link.current = opened)}
            onLeave={() => tools.current?.querySelector<HTMLElement>("button, a, [tabindex]")?.focus()}
          />
        </Suspense>
      </div>
    </section>
  );

  function stateText(now: LinkState): string {
    if (now.kind === "waiting") return t("state.waiting", { count: now.seconds });
    if (now.kind === "over" && now.refusal !== null) return refusalText(now.refusal, now.reason);
    return t(`state.${now.kind}`);
  }

  /** In the language of the page where the reason is one of the usual ones; the browser may have told the server another. */
  function refusalText(code: number, reason: string): string {
    if (code === 4401) return t("refusal.signedOut");
    if (code === 4403) return t("refusal.closed");
    if (code === 4429) return t("refusal.tooMany");
    return reason || t("state.refused");
  }
}
