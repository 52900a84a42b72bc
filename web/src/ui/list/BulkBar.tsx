import { Button, Progress } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../confirm";
import { useNotify } from "../notify";
import { useFailureText } from "../failure-text";
import type { BulkAction } from "./types";
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
  const confirm = useConfirm();
  const notify = useNotify();
  const failureText = useFailureText();
  const [done, setDone] = useState<number | null>(null);

  const run = async (action: BulkAction<T>) => {
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
        actions.map((action) => (
          <Button
            key={action.key}
            size="small"
            icon={action.icon}
            danger={action.isDanger}
            onClick={() =>
              confirm({
                title: action.confirmTitle(rows),
                okText: action.label,
                isDanger: action.isDanger,
                onConfirm: () => {
                  void run(action);
                  return Promise.resolve();
                },
              })
            }
          >
            {action.label}
          </Button>
        ))
      ) : (
        <Progress className={styles.bulkProgress} size="small" percent={Math.round((done / rows.length) * 100)} />
      )}
      <Button size="small" type="text" disabled={done !== null} onClick={onClear}>
        {t("list.clearSelection")}
      </Button>
    </div>
  );
}
