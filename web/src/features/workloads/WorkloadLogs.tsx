/** What a workload writes: live, from any place, searchable, to take away. */
import { DownloadOutlined, PauseOutlined, VerticalAlignBottomOutlined, VerticalAlignTopOutlined } from "@ant-design/icons";
import { Button, Skeleton } from "antd";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { logDownloadAddress } from "./api";
import { AttemptSelect } from "./AttemptSelect";
import { useLogFollower } from "./logs/log-follow";
import type { LogFollower, LogState } from "./logs/log-follow";
import { LogFound } from "./logs/LogFound";
import { LogLines } from "./logs/LogLines";
import { isWanted, LogSearchBar, NOTHING_WANTED } from "./logs/LogSearchBar";
import type { LogWanted } from "./logs/LogSearchBar";
import { LogText } from "./logs/LogText";
import { NodeSelect } from "./NodeSelect";
import type { NodeView, WorkloadRef } from "./types";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./logs/Logs.module.css";

interface WorkloadLogsProps {
  workload: WorkloadRef;
  nodes: NodeView[];
  /** How many attempts there were. */
  attempts?: number;
}

export function WorkloadLogs({ workload, nodes, attempts = 1 }: WorkloadLogsProps) {
  const [node, setNode] = useState(0);
  const [attempt, setAttempt] = useState<number | null>(null);
  return (
    <NodeLogs key={`${workload.id} ${node} ${attempt}`} workload={workload} node={node} attempt={attempt}>
      <AttemptSelect count={attempts} value={attempt} onChange={setAttempt} />
      <NodeSelect nodes={nodes} value={node} onChange={setNode} />
    </NodeLogs>
  );
}

interface NodeLogsProps {
  workload: WorkloadRef;
  node: number;
  attempt: number | null;
  /** Ways to the other logs of the workload. */
  children: ReactNode;
}

function NodeLogs({ workload, node, attempt, children }: NodeLogsProps) {
  const { t } = useTranslation("workloads");
  const [follower, state] = useLogFollower(workload, node, attempt);
  const [isFollowing, setFollowing] = useState(true);
  const [wanted, setWanted] = useState<LogWanted>(NOTHING_WANTED);
  const follow = (next: boolean) => {
    setFollowing(next);
    if (next && state.isDetached) void follower.toEnd();
  };
  const isSearching = isWanted(wanted);
  return (
    <section className={surfaces.box} aria-label={t("logs.title")}>
      <div className={`${surfaces.tools} ${styles.tools}`}>
        {children}
        <LogSearchBar wanted={wanted} onChange={setWanted} />
        <span className={styles.end}>
          <LogStatus state={state} />
          {!isSearching && (
            <IconButton
              icon={<VerticalAlignTopOutlined aria-hidden />}
              label={t("logs.beginning")}
              onClick={() => {
                setFollowing(false);
                void follower.toBeginning();
              }}
            />
          )}
          {!isSearching && !(state.status === "over" && isFollowing) && (
            <Button icon={isFollowing ? <PauseOutlined aria-hidden /> : <VerticalAlignBottomOutlined aria-hidden />} aria-pressed={isFollowing} onClick={() => follow(!isFollowing)}>
              {isFollowing ? t("logs.pause") : state.status === "over" ? t("logs.toEnd") : t("logs.follow")}
            </Button>
          )}
          <a href={logDownloadAddress(workload, node, attempt)} download>
            <IconButton icon={<DownloadOutlined aria-hidden />} label={t("logs.download")} tabIndex={-1} />
          </a>
        </span>
      </div>
      {isSearching ? (
        <LogFound
          workload={workload}
          node={node}
          attempt={attempt}
          wanted={wanted}
          onOpen={(line) => {
            setWanted(NOTHING_WANTED);
            setFollowing(false);
            void follower.toOffset(line.offset);
          }}
        />
      ) : (
        <LogContent follower={follower} state={state} isFollowing={isFollowing} onFollow={follow} />
      )}
    </section>
  );
}

interface LogContentProps {
  follower: LogFollower;
  state: LogState;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
}

function LogContent({ follower, state, isFollowing, onFollow }: LogContentProps) {
  const { t } = useTranslation("workloads");
  const { buffer } = follower;
  if (state.status === "loading" && buffer.isEmpty) return <Skeleton className={styles.padded} active />;
  if (state.status === "failed" && buffer.isEmpty) return <ErrorState error={state.error} onRetry={() => void follower.toEnd()} />;
  if (buffer.isEmpty) return <EmptyState title={state.status === "over" ? t("logs.empty") : t("logs.notYet")} />;
  return (
    <LogLines
      key={state.part}
      label={t("logs.title")}
      count={buffer.lines.length}
      firstKey={buffer.lines[0]?.key ?? 0}
      version={state.version}
      isFollowing={isFollowing && !state.isDetached}
      onFollow={onFollow}
      onTop={() => void follower.loadEarlier()}
      onBottom={() => void follower.loadLater()}
      render={(index) => {
        const line = buffer.lines[index];
        return (
          line && (
            <div key={line.key} className={styles.line}>
              <LogText text={line.text} style={line.style} />
            </div>
          )
        );
      }}
    />
  );
}

function LogStatus({ state }: { state: LogState }) {
  const { t } = useTranslation("workloads");
  const text = { loading: "", live: state.isDetached ? "" : t("logs.live"), over: t("logs.over"), lost: t("logs.lost"), failed: t("logs.lost") }[state.status];
  return (
    <span className="tm-muted" aria-live="polite">
      {text}
    </span>
  );
}
