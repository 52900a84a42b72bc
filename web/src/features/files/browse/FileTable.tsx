/** The rows of a folder, worked by mouse or keyboard alike. */
import { Checkbox } from "antd";
import { useEffect, useRef, useState } from "react";
import type { DragEvent, KeyboardEvent, MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import type { EntryView } from "@/features/assets/types";
import { useFormat } from "@/lib/format";
import { RowMenu } from "@/ui/list/RowMenu";
import type { RowAction } from "@/ui/list/types";
import { RelativeTime } from "@/ui/RelativeTime";
import { parentOf } from "../paths";
import { droppedPaths, isPathDrag, startDrag } from "./drag";
import { FileIcon } from "./FileIcon";
import { actedOn, extendTo, focusOn, NOTHING, step, tickAll, toggle } from "./selection";
import type { Selection } from "./selection";
import styles from "./Browse.module.css";

const PAGE_ROWS = 10;

export interface FileTableProps {
  entries: EntryView[];
  /** Search results lie in many folders, so each says in which. */
  isSearch: boolean;
  isCompact: boolean;
  openPath: string | null;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  onOpen: (entry: EntryView) => void;
  onUp: () => void;
  rowActions: (entry: EntryView) => RowAction[];
  /** Left out when the version cannot be changed. */
  edit?: { rename: (path: string) => void; remove: (paths: string[]) => void; moveInto: (folder: string, paths: string[]) => void };
}

export function FileTable(props: FileTableProps) {
  const { entries, isSearch, isCompact, selection, onSelection } = props;
  const { t } = useTranslation("files");
  const order = entries.map((entry) => entry.path);
  const allTicked = entries.length > 0 && selection.ticked.size === entries.length;
  return (
    <table className={styles.table} role="grid" aria-label={t("browser.files")} aria-multiselectable onKeyDown={(event) => onKey(event, props)}>
      <thead>
        <tr>
          <th className={styles.tickColumn}>
            <Checkbox
              aria-label={t("browser.tickAll")}
              checked={allTicked}
              indeterminate={selection.ticked.size > 0 && !allTicked}
              onChange={() => onSelection(allTicked ? NOTHING : tickAll(selection, order))}
            />
          </th>
          <th>{t("browser.name")}</th>
          <th className={`${styles.sizeColumn} ${styles.size}`}>{t("browser.size")}</th>
          {!isCompact && <th className={`${styles.timeColumn} ${styles.time}`}>{t("browser.modified")}</th>}
          <th className={styles.menuColumn}>
            <span className="tm-hidden">{t("browser.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => (
          <FileRow key={entry.path} {...props} entry={entry} order={order} isFirst={index === 0} isSearch={isSearch} />
        ))}
      </tbody>
    </table>
  );
}

function FileRow(props: FileTableProps & { entry: EntryView; order: string[]; isFirst: boolean }) {
  const { entry, order, isFirst, isSearch, isCompact, openPath, selection, onSelection, onOpen, edit } = props;
  const { t } = useTranslation("files");
  const format = useFormat();
  const row = useRef<HTMLTableRowElement>(null);
  const drop = useDropTarget(entry, edit?.moveInto);
  const hasFocus = selection.focus === entry.path;
  const isTicked = selection.ticked.has(entry.path);

  useEffect(() => {
    // Follows the keyboard only while it is in the table, so that nothing steals the focus.
    if (hasFocus && row.current?.closest("table")?.contains(document.activeElement)) row.current.focus();
  }, [hasFocus]);

  const onClick = (event: MouseEvent) => {
    if (event.shiftKey) onSelection(extendTo(selection, order, entry.path));
    else if (event.ctrlKey || event.metaKey) onSelection(toggle(selection, entry.path));
    else onSelection(focusOn(selection, entry.path));
  };
  return (
    <tr
      ref={row}
      className={styles.row}
      tabIndex={hasFocus || (isFirst && selection.focus === null) ? 0 : -1}
      aria-selected={isTicked}
      data-open={openPath === entry.path || undefined}
      data-target={drop.isOver || undefined}
      draggable={edit !== undefined}
      onDragStart={(event) => startDrag(event.dataTransfer, isTicked ? [...selection.ticked] : [entry.path])}
      {...drop.handlers}
      onClick={onClick}
      onDoubleClick={() => onOpen(entry)}
      onFocus={(event) => {
        if (event.target === row.current && !hasFocus) onSelection({ ...selection, focus: entry.path });
      }}
    >
      <td>
        <Checkbox
          tabIndex={-1}
          aria-label={t("browser.tick", { name: entry.name })}
          checked={isTicked}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onSelection(toggle(selection, entry.path))}
        />
      </td>
      <td>
        <span className={styles.name}>
          <FileIcon entry={entry} />
          <button
            type="button"
            tabIndex={-1}
            className={styles.nameLink}
            title={entry.name}
            onClick={(event) => {
              if (event.shiftKey || event.ctrlKey || event.metaKey) return;
              event.stopPropagation();
              onSelection(focusOn(selection, entry.path));
              onOpen(entry);
            }}
          >
            {entry.name}
          </button>
        </span>
        {isSearch && <div className={styles.where}>{parentOf(entry.path) || "/"}</div>}
      </td>
      <td className={styles.size}>{entry.type === "dir" ? filesText() : format.bytes(entry.size_bytes)}</td>
      {!isCompact && (
        <td className={styles.time}>
          <RelativeTime at={entry.updated_at} />
        </td>
      )}
      <td>
        <RowMenu name={entry.name} actions={props.rowActions(entry)} />
      </td>
    </tr>
  );

  function filesText(): string {
    return typeof entry.files === "number" ? t("browser.fileCount", { count: entry.files, figure: format.number(entry.files) }) : "";
  }
}

function useDropTarget(entry: EntryView, moveInto: ((folder: string, paths: string[]) => void) | undefined) {
  const [isOver, setOver] = useState(false);
  if (entry.type !== "dir" || !moveInto) return { isOver: false, handlers: {} };
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isPathDrag(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        if (!isPathDrag(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        moveInto(entry.path, droppedPaths(event.dataTransfer));
      },
    },
  };
}

function onKey(event: KeyboardEvent, { entries, selection, onSelection, onOpen, onUp, edit }: FileTableProps): void {
  const order = entries.map((entry) => entry.path);
  const focused = entries.find((entry) => entry.path === selection.focus);
  const move = (by: number) => onSelection(step(selection, order, by, event.shiftKey));
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const isOnRow = event.target instanceof HTMLTableRowElement;

  const actions: Record<string, (() => void) | undefined> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(PAGE_ROWS),
    PageUp: () => move(-PAGE_ROWS),
    Home: () => move(-order.length),
    End: () => move(order.length),
    Enter: isOnRow && focused ? () => onOpen(focused) : undefined,
    " ": isOnRow && focused ? () => onSelection(toggle(selection, focused.path)) : undefined,
    Backspace: onUp,
    Escape: selection.ticked.size > 0 ? () => onSelection({ ...selection, ticked: new Set() }) : undefined,
    F2: edit && focused ? () => edit.rename(focused.path) : undefined,
    Delete: edit && actedOn(selection).length > 0 ? () => edit.remove(actedOn(selection)) : undefined,
  };
  const action = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a" ? () => onSelection(tickAll(selection, order)) : isPlain ? actions[event.key] : undefined;
  if (!action) return;
  event.preventDefault();
  action();
}
