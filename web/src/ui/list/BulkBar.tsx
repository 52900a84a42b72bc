import { Button, Progress, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../confirm";
import { useNotify } from "../notify";
import { useFailureText } from "../failure-text";
import type { BulkAction, BulkChange } from "./types";
import styles from "./ListPage.module.css";

interface BulkBarProps<T> {
  rows: T[];
  nameOf: (row: T) => string;
  actions: BulkAction<T>[];
  onFinished: () => void;
  onClear: () => void;
}

/** Does one thing to all ticked rows, one after the other, and tells which ones refused and why. */
export function BulkBar<T>({ rows, nameOf, actions, onFinished, onClear }: BulkBarProps<T>) {
  const { t } = useTranslation();
  const notify = useNotify();
  const failureText = useFailureText();
  const [done, setDone] = useState<number | null>(null);

  const run = async (action: BulkChange<T>) => {
    const refusals: string[] = [];
    setDone(0);
    for (const [index, row] of rows.entries()) {
      try {
        await action.run(row);
      } catch (error) {
        refusals.push(t("list.bulkRefusal", { name: nameOf(row), reason: failureText(error).title }));
      }
      setDone(index + 1);
    }
    setDone(null);
    onFinished();
    if (refusals.length === 0) notify.done(t("list.bulkDone", { count: rows.length }));
    else notify.refused(t("list.bulkPartly", { done: rows.length - refusals.length, all: rows.length }), refusals);
  };

  return (
    <div className={styles.bulk} role="region" aria-label={t("list.selection")}>
      <strong>{t("list.selected", { count: rows.length })}</strong>
      {done === null ? (
        actions.map((action) => <BulkButton key={action.key} action={action} rows={rows} onRun={run} />)
      ) : (
        <Progress className={styles.bulkProgress} size="small" percent={Math.round((done / rows.length) * 100)} />
      )}
      <Button size="small" type="text" disabled={done !== null} onClick={onClear}>
        {t("list.clearSelection")}
      </Button>
    </div>
  );
}

function BulkButton<T>({ action, rows, onRun }: { action: BulkAction<T>; rows: T[]; onRun: (action: BulkChange<T>) => Promise<void> }) {
  const confirm = useConfirm();
  const refusal = "open" in action ? action.disabledReason?.(rows) : undefined;
  const ask = (change: BulkChange<T>) =>
    confirm({
      title: change.confirmTitle(rows),
      okText: change.label,
      isDanger: change.isDanger,
      onConfirm: () => {
        void onRun(change);
        return Promise.resolve();
      },
    });
  return (
    <Tooltip title={refusal}>
      <Button size="small" icon={action.icon} danger={action.isDanger} disabled={refusal !== undefined} onClick={() => ("open" in action ? action.open(rows) : ask(action))}>
        {action.label}
      </Button>
    </Tooltip>
  );
}
