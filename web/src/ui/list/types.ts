import type { ReactNode } from "react";
import type { Page } from "@/api/types";

/** What a list asks the server for. `filters` holds the page's own filters by their name in the address. */
export interface ListQuery {
  q?: string;
  sort?: string;
  limit: number;
  cursor?: string;
  filters: Record<string, string>;
}

export type ListLoader<T> = (query: ListQuery) => Promise<Page<T>>;

export interface ListColumn<T> {
  key: string;
  title: string;
  render: (row: T) => ReactNode;
  /** The server's sort field; without it the column cannot be sorted by. */
  sort?: string;
  width?: number;
  align?: "right";
  /** Not shown until the user chooses it. */
  isHidden?: boolean;
}

export type ListFilter =
  | { kind: "select"; key: string; label: string; options: { value: string; label: string }[] }
  | { kind: "toggle"; key: string; label: string }
  | { kind: "text"; key: string; label: string; /** For whole expressions rather than words. */ isWide?: boolean }
  | { kind: "dates"; key: string; label: string; sinceKey: string; untilKey: string };

export interface RowAction {
  key: string;
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
  /** Set when the action is not possible now; shown to the user. */
  disabledReason?: string;
  onClick: () => void;
}

interface BulkBase {
  key: string;
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
}

/** Done to each ticked row, after a question. */
export interface BulkChange<T> extends BulkBase {
  confirmTitle: (rows: T[]) => string;
  run: (row: T) => Promise<unknown>;
}

/** Shows the ticked rows together; changes nothing, so nothing is asked. */
export interface BulkOpen<T> extends BulkBase {
  open: (rows: T[]) => void;
  disabledReason?: (rows: T[]) => string | undefined;
}

export type BulkAction<T> = BulkChange<T> | BulkOpen<T>;

export interface ListEmpty {
  title: string;
  text?: string;
  action?: ReactNode;
}
