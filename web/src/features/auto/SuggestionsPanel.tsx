/** How much waits to be decided and how sure the model is of it, with the ways to decide. */
import { HighlightOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { DatasetVersionRef, DatasetVersionView } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import { decidePath } from "./addresses";
import { levelOf } from "./certainty";
import { useLastDecision } from "./deciding";
import { summaryQuery } from "./queries";
import { SuggestionsBar } from "./SuggestionsBar";
import styles from "./Auto.module.css";

export function SuggestionsPanel({ of, version }: { of: DatasetVersionRef; version: DatasetVersionView }) {
  const { t } = useTranslation("auto");
  const navigate = useNavigate();
  const format = useFormat();
  const summary = useQuery(summaryQuery(of));
  const last = useLastDecision(of);
  if (!summary.data || (summary.data.looked_at === 0 && summary.data.suggested === 0 && !last)) return null;
  const { suggested, mean_uncertainty, by_certainty, source } = summary.data;
  const canDecide = version.can_annotate && version.work === "draft" && suggested > 0;
  return (
    <Panel
      title={t("suggestions.title")}
      actions={
        canDecide && (
          <Button type="primary" icon={<HighlightOutlined aria-hidden />} onClick={() => void navigate(decidePath(of))}>
            {t("suggestions.decide")}
          </Button>
        )
      }
    >
      <div className={styles.summary}>
        <p>
          {suggested === 0 ? t("suggestions.allDecided") : t("suggestions.waiting", { count: suggested, number: format.number(suggested) })}{" "}
          <span className="tm-muted">
            {[source, mean_uncertainty !== null && suggested > 0 && t("suggestions.mean", { value: format.percent(1 - mean_uncertainty) })].filter(Boolean).join(" · ")}
          </span>
        </p>
        {suggested > 0 && <Tenths counts={by_certainty} />}
      </div>
      <SuggestionsBar of={of} chosen={{ filter: { state: "suggested" } }} canDecide={canDecide} isWhole />
    </Panel>
  );
}

/** How many items are how certain; a bar for each tenth. */
function Tenths({ counts }: { counts: number[] }) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  const most = Math.max(1, ...counts);
  return (
    <ul className={styles.tenths} aria-label={t("suggestions.tenths")}>
      {counts.map((count, tenth) => {
        const text = t("suggestions.tenth", { from: format.percent(tenth / counts.length), to: format.percent((tenth + 1) / counts.length), number: format.number(count) });
        return (
          <li key={tenth} title={text}>
            <i data-level={levelOf((tenth + 0.5) / counts.length)} style={{ height: `${Math.ceil((100 * count) / most)}%` }} aria-hidden="true" />
            <span className="tm-hidden">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
