/** How often which class was taken for which. A cell leads to examples of that mistake. */
import { Button, Segmented } from "antd";
import { useRef } from "react";
import type { CSSProperties, KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { Panel } from "@/ui/Facts";
import { useAddress } from "@/ui/address";
import { ScrollBox } from "@/ui/ScrollBox";
import { SHOWN_MAX, shareOfRow, shownPlaces } from "./confusion";
import { BACKGROUND } from "./examples";
import type { Confusion } from "./result";
import styles from "./Evaluations.module.css";

interface ConfusionTabProps {
  confusion: Confusion;
  onCell: (truth: string, predicted: string) => void;
}

export function ConfusionTab({ confusion, onCell }: ConfusionTabProps) {
  const { t } = useTranslation("evaluations");
  const [params, change] = useAddress();
  const isShares = params.get("matrix") === "shares";
  const isAll = params.get("labels") === "all";
  const places = shownPlaces(confusion, isAll ? Infinity : SHOWN_MAX);
  const isMore = confusion.labels.length > SHOWN_MAX;
  return (
    <Panel
      title={t("confusion.title")}
      actions={
        <span className={styles.tools}>
          {isMore && (
            <Button size="small" onClick={() => change({ labels: isAll ? null : "all" })}>
              {isAll ? t("confusion.fewer", { count: SHOWN_MAX }) : t("confusion.all", { count: confusion.labels.length })}
            </Button>
          )}
          <Segmented
            size="small"
            value={isShares ? "shares" : "counts"}
            options={[
              { value: "counts", label: t("confusion.counts") },
              { value: "shares", label: t("confusion.shares") },
            ]}
            onChange={(value) => change({ matrix: value === "shares" ? "shares" : null })}
          />
        </span>
      }
    >
      <p className={styles.text}>{isMore && !isAll ? t("confusion.textSome", { count: SHOWN_MAX }) : t("confusion.text")}</p>
      <Matrix confusion={confusion} places={places} isShares={isShares} onCell={onCell} />
    </Panel>
  );
}

function Matrix({ confusion, places, isShares, onCell }: ConfusionTabProps & { places: number[]; isShares: boolean }) {
  const { t } = useTranslation("evaluations");
  const table = useRef<HTMLTableElement>(null);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    const cell = event.target instanceof HTMLElement ? event.target.dataset : {};
    if (!step || cell.row === undefined) return;
    event.preventDefault();
    table.current?.querySelector<HTMLElement>(`[data-row="${Number(cell.row) + step[0]}"][data-column="${Number(cell.column) + step[1]}"]`)?.focus();
  };
  const name = (place: number) => labelText(confusion.labels[place] ?? "");
  return (
    <ScrollBox label={t("confusion.title")} className={styles.matrixBox}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows move among the buttons in it */}
      <table ref={table} className={styles.matrix} onKeyDown={move}>
        <thead>
          <tr>
            <th className={styles.corner}>{t("confusion.corner")}</th>
            {places.map((place) => (
              <th key={place} scope="col" className={styles.column}>
                <span title={name(place)}>{name(place)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((row, atRow) => (
            <tr key={row}>
              <th scope="row" className={styles.row} title={name(row)}>
                {name(row)}
              </th>
              {places.map((column, atColumn) => (
                <Cell key={column} {...{ confusion, row, column, atRow, atColumn, isShares, onCell }} rowName={name(row)} columnName={name(column)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );

  function labelText(label: string): string {
    return label === BACKGROUND ? t("confusion.background") : label;
  }
}

interface CellProps extends ConfusionTabProps {
  row: number;
  column: number;
  atRow: number;
  atColumn: number;
  isShares: boolean;
  rowName: string;
  columnName: string;
}

function Cell({ confusion, row, column, atRow, atColumn, isShares, onCell, rowName, columnName }: CellProps) {
  const { t } = useTranslation("evaluations");
  const format = useFormat();
  const count = confusion.counts[row]?.[column] ?? 0;
  const share = shareOfRow(confusion, row, column);
  const words = t("confusion.cell", { truth: rowName, predicted: columnName, count: format.number(count), share: format.percent(share) });
  return (
    <td data-right={row === column || undefined}>
      <button
        type="button"
        data-row={atRow}
        data-column={atColumn}
        tabIndex={atRow === 0 && atColumn === 0 ? 0 : -1}
        style={{ "--tm-share": share } as CSSProperties}
        aria-label={words}
        title={words}
        onClick={() => onCell(confusion.labels[row] ?? "", confusion.labels[column] ?? "")}
      >
        {count === 0 ? "" : isShares ? format.percent(share) : format.number(count)}
      </button>
    </td>
  );
}
