/** What to do now, in a sentence, with the button that does it; and the other actions of the loop. */
import { BulbOutlined, HighlightOutlined, ReloadOutlined, RobotOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { annotatePath } from "@/features/annotate/addresses";
import { autoTabPath, decidePath } from "@/features/auto/addresses";
import { datasetVersionPath } from "@/features/datasets/addresses";
import type { DatasetRef } from "@/features/datasets/types";
import { AnnotateForm } from "./AnnotateForm";
import { allowedIn } from "./allowed";
import { RetrainForm } from "./RetrainForm";
import type { AdviceAction, Allowed, Loop } from "./types";
import styles from "./Loop.module.css";

type Doing = "label" | "suggestions" | "train" | "auto";

/** Training again and training first are the same round. */
const DOING: Record<AdviceAction, Doing> = { label: "label", train: "train", retrain: "train", auto: "auto", suggestions: "suggestions" };

interface Offer {
  key: Doing;
  text: string;
  icon: ReactNode;
  is: Allowed;
  run: () => void;
}

export function AdvicePanel({ of, loop }: { of: DatasetRef; loop: Loop }) {
  const [dialog, setDialog] = useState<"train" | "auto" | null>(null);
  const navigate = useNavigate();
  const offers = useOffers(of, loop, setDialog);
  const advised = loop.advice.action && DOING[loop.advice.action];
  const ordered = [...offers.filter((offer) => offer.key === advised), ...offers.filter((offer) => offer.key !== advised)];
  return (
    <section className={styles.advice}>
      <BulbOutlined aria-hidden className={styles.bulb} />
      <p className={styles.adviceText} role="status">
        {loop.advice.message}
      </p>
      <div className={styles.adviceActions}>
        {ordered.map(({ key, text, icon, is, run }) => (
          <Tooltip key={key} title={is.allowed ? undefined : is.reason}>
            <Button type={key === advised ? "primary" : "default"} icon={icon} disabled={!is.allowed} onClick={run}>
              {text}
            </Button>
          </Tooltip>
        ))}
      </div>
      {dialog === "train" && <RetrainForm of={of} loop={loop} onClose={() => setDialog(null)} />}
      {dialog === "auto" && <AnnotateForm of={of} loop={loop} onStarted={() => loop.draft !== null && void navigate(autoTabPath({ ...of, version: loop.draft }))} onClose={() => setDialog(null)} />}
    </section>
  );
}

function useOffers(of: DatasetRef, loop: Loop, open: (dialog: "train" | "auto") => void): Offer[] {
  const { t } = useTranslation("loop");
  const navigate = useNavigate();
  const { draft, next_items } = loop;
  const is = (name: "label" | "train" | "retrain" | "auto") => allowedIn(loop, name);
  const ref = draft === null ? null : { ...of, version: draft };
  const seqs = next_items.map((item) => item.seq);
  const isFirst = loop.model === null;
  // Without a draft there is nothing to publish first: the newest version is trained from as it is.
  const published = draft === null && loop.latest_published !== null ? { ...of, version: loop.latest_published } : null;
  const label = () => ref && void navigate(annotatePath(of.project, of.dataset, ref.version, seqs[0], { items: seqs }));
  return [
    { key: "label", text: t("action.label"), icon: <HighlightOutlined aria-hidden />, is: ref ? is("label") : { allowed: false, reason: is("label").reason ?? t("noDraft") }, run: label },
    ...(loop.suggested > 0 && ref ? [{ key: "suggestions" as const, text: t("action.suggestions"), icon: <HighlightOutlined aria-hidden />, is: is("label"), run: () => void navigate(decidePath(ref)) }] : []),
    { key: "train", text: t(isFirst ? "action.train" : "action.retrain"), icon: <ReloadOutlined aria-hidden />, is: is(published === null ? "retrain" : "train"), run: published === null ? () => open("train") : () => void navigate(datasetVersionPath(published, "train")) },
    { key: "auto", text: t("action.auto"), icon: <RobotOutlined aria-hidden />, is: is("auto"), run: () => open("auto") },
  ];
}
