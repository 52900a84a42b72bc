/** Rounds of the loop: the one under way with its steps, and those before it. */
import { StopOutlined } from "@ant-design/icons";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Steps } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { datasetVersionPath } from "@/features/datasets/addresses";
import type { DatasetRef } from "@/features/datasets/types";
import { useNotify } from "@/ui/notify";
import { Panel } from "@/ui/Facts";
import { RelativeTime } from "@/ui/RelativeTime";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import { listRounds, stopRound } from "./api";
import { loopKey } from "./queries";
import { RunLink } from "./RunLink";
import { modelPath } from "./references";
import { stepsOf } from "./steps";
import type { Round } from "./types";
import styles from "./Loop.module.css";

const PAGE = 5;
const TONES: Record<Round["state"], BadgeTone> = { running: "running", done: "completed", failed: "failed", stopped: "stopped" };

export function RoundsPanel({ of, round }: { of: DatasetRef; round: Round | null }) {
  const { t } = useTranslation(["loop", "common"]);
  const rounds = useInfiniteQuery({
    // Read again whenever the newest one is another or has come further.
    queryKey: [...loopKey(of), "rounds", round?.id, round?.state],
    queryFn: ({ pageParam }) => listRounds(of, { limit: PAGE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    enabled: round !== null,
  });
  if (!round) return null;
  const earlier = (rounds.data?.pages.flatMap((page) => page.items) ?? []).filter((one) => one.id !== round.id);
  return (
    <Panel title={t("rounds.title")}>
      <ul className={styles.rounds} aria-label={t("rounds.title")}>
        {[round, ...earlier].map((one) => (
          <RoundRow key={one.id} of={of} round={one} hasSteps={one.id === round.id} />
        ))}
      </ul>
      {rounds.hasNextPage && (
        <Button size="small" loading={rounds.isFetchingNextPage} onClick={() => void rounds.fetchNextPage()}>
          {t("common:list.more")}
        </Button>
      )}
    </Panel>
  );
}

function RoundRow({ of, round, hasSteps }: { of: DatasetRef; round: Round; hasSteps: boolean }) {
  const { t } = useTranslation("loop");
  const client = useQueryClient();
  const notify = useNotify();
  const steps = stepsOf(round);
  const stop = async () => {
    try {
      await stopRound(of, round.id);
      await client.invalidateQueries({ queryKey: loopKey(of) });
    } catch (error) {
      notify.failed(error);
    }
  };
  return (
    <li className={styles.round}>
      <div className={styles.roundHead}>
        <StateBadge tone={TONES[round.state]} text={t(`rounds.state.${round.state}`)} />
        <Link to={datasetVersionPath({ ...of, version: round.version })}>{t("rounds.version", { number: round.version })}</Link>
        {round.run && <RunLink project={of.project} run={round.run} />}
        {round.model && <Link to={modelPath(of.project, round.model)}>{round.model}</Link>}
        {round.draft !== null && <Link to={datasetVersionPath({ ...of, version: round.draft })}>{t("rounds.draft", { number: round.draft })}</Link>}
        <span className="tm-muted">
          <RelativeTime at={round.created_at} />
        </span>
        {round.state === "running" && (
          <Button size="small" danger icon={<StopOutlined aria-hidden />} onClick={() => void stop()}>
            {t("rounds.stop")}
          </Button>
        )}
      </div>
      {round.error && (
        <p className={styles.roundError}>
          {round.error.message} {round.error.hint}
        </p>
      )}
      {hasSteps && <Steps className={styles.steps} size="small" current={steps.findIndex(({ status }) => status === "process")} items={steps.map(({ step, status }) => ({ key: step, title: t(`rounds.step.${step}`), status }))} />}
    </li>
  );
}
