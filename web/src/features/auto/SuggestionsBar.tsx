/** Decides about many suggestions at once, by how sure the model was; what was done last can be taken back. */
import { CheckOutlined, CloseOutlined, DownOutlined, UndoOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Dropdown, InputNumber, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Chosen } from "@/features/datasets/api";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { useFormat } from "@/lib/format";
import { countAtLeast } from "./certainty";
import { useDeciding } from "./deciding";
import { summaryQuery } from "./queries";
import styles from "./Auto.module.css";

interface SuggestionsBarProps {
  of: DatasetVersionRef;
  chosen: Chosen;
  canDecide: boolean;
  /** All suggestions of the version are meant: then it is known how many the threshold leaves. */
  isWhole?: boolean;
  /** Before anything is sent: what this page has not stored yet. */
  before?: () => Promise<void>;
  onChanged?: () => void;
}

export function SuggestionsBar({ of, chosen, canDecide, isWhole = false, before, onChanged }: SuggestionsBarProps) {
  const { t } = useTranslation("auto");
  const [percent, setPercent] = useState(80);
  const deciding = useDeciding(of, { before, onChanged });
  const threshold = percent / 100;
  const wanted = percent > 0 ? threshold : null;
  return (
    <div className={styles.bar} role="group" aria-label={t("bar.title")}>
      {canDecide && (
        <>
          <label className={styles.threshold}>
            {t("bar.atLeast")}
            <InputNumber<number> size="small" min={0} max={100} step={5} precision={0} value={percent} suffix="%" aria-label={t("bar.threshold")} onChange={(value) => setPercent(value ?? 0)} />
          </label>
          <Space.Compact>
            <Button size="small" type="primary" icon={<CheckOutlined aria-hidden />} loading={deciding.isBusy} onClick={() => void deciding.accept(chosen, wanted, "leave")}>
              {t("bar.accept")}
            </Button>
            <Dropdown
              trigger={["click"]}
              menu={{
                items: [
                  { key: "drop", icon: <CheckOutlined aria-hidden />, label: t("bar.acceptDrop"), disabled: wanted === null, onClick: () => void deciding.accept(chosen, wanted, "drop") },
                  { key: "below", icon: <CloseOutlined aria-hidden />, label: t("bar.rejectBelow"), disabled: wanted === null, onClick: () => void deciding.reject(chosen, wanted) },
                  { key: "all", icon: <CloseOutlined aria-hidden />, label: t("bar.rejectAll"), danger: true, onClick: () => void deciding.reject(chosen, null) },
                ],
              }}
            >
              <Button size="small" type="primary" icon={<DownOutlined aria-hidden />} aria-label={t("bar.otherWays")} />
            </Dropdown>
          </Space.Compact>
          {isWhole && <AboutSoMany of={of} threshold={threshold} />}
        </>
      )}
      <LastDecision deciding={deciding} />
    </div>
  );
}

function AboutSoMany({ of, threshold }: { of: DatasetVersionRef; threshold: number }) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  const summary = useQuery(summaryQuery(of));
  if (!summary.data) return null;
  const count = countAtLeast(summary.data.by_certainty, threshold);
  return <span className="tm-muted">{t("bar.about", { count, number: format.number(count) })}</span>;
}

function LastDecision({ deciding: { last, isBusy, undo, forget } }: { deciding: ReturnType<typeof useDeciding> }) {
  const { t } = useTranslation("auto");
  const format = useFormat();
  if (!last) return null;
  return (
    <span className={styles.last} role="status">
      {last.job ? t("bar.inBackground") : t(`bar.done.${last.verdict}`, { count: last.changed, number: format.number(last.changed) })}
      {last.left > 0 && <span className="tm-muted">{t("bar.left", { count: last.left, number: format.number(last.left) })}</span>}
      {last.action && (
        <Button size="small" icon={<UndoOutlined aria-hidden />} loading={isBusy} onClick={() => void undo()}>
          {t("bar.undo")}
        </Button>
      )}
      <Button size="small" type="text" onClick={forget}>
        {t("bar.close")}
      </Button>
    </span>
  );
}
