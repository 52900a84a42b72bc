/** The items of a tab, a stretch of them around the one that is open; more come as one moves along. */
import type { Item } from "../model/types";
import type { Api, ItemFilter, ItemOrder } from "./api";

const PAGE = 60;

/** Which items, and in which order; or some by their numbers, as they were given. */
export interface Wanted {
  filter: ItemFilter;
  order: ItemOrder;
  only: readonly number[] | null;
}

export interface ListState extends Wanted {
  items: Item[];
  total: number;
  isTotalCapped: boolean;
  isLoading: boolean;
  hasBefore: boolean;
  hasAfter: boolean;
  error: unknown;
}

type Stretch = Pick<ListState, "items" | "total" | "isTotalCapped" | "hasBefore" | "hasAfter"> & { cursor: string | null };

export const ALL: Wanted = { filter: {}, order: "seq", only: null };
const EMPTY: ListState = { ...ALL, items: [], total: 0, isTotalCapped: false, isLoading: true, hasBefore: false, hasAfter: false, error: null };

export class ItemList {
  private state: ListState = EMPTY;
  private readonly listeners = new Set<() => void>();
  private generation = 0;
  private under: Promise<void> | null = null;
  /** Where the next page begins, in orders that numbers do not tell. */
  private cursor: string | null = null;

  constructor(
    private readonly api: Api,
    /** Told of every item with annotations that comes in. */
    private readonly onItem: (item: Item) => void,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get = (): ListState => this.state;

  /** The stretch from `seq` on (it first, when it fits the filter), with some before it; in other orders from the beginning. */
  async open(wanted: Wanted, seq: number | null): Promise<void> {
    const mine = ++this.generation;
    const { filter, order, only } = wanted;
    this.set({ ...EMPTY, filter, order, only });
    try {
      const { cursor, ...stretch } = await this.first(wanted, seq);
      if (mine !== this.generation) return;
      this.cursor = cursor;
      stretch.items.forEach(this.onItem);
      this.set({ filter, order, only, ...stretch, isLoading: false, error: null });
    } catch (error) {
      if (mine === this.generation) this.set({ ...this.state, isLoading: false, error });
    }
  }

  async more(isBackwards: boolean): Promise<void> {
    const { hasAfter, hasBefore } = this.state;
    if (this.under || !(isBackwards ? hasBefore : hasAfter)) return this.under ?? undefined;
    const mine = this.generation;
    this.under = this.beyond(isBackwards).then(
      (page) => {
        if (mine !== this.generation) return;
        this.cursor = page.next;
        page.items.forEach(this.onItem);
        const next = isBackwards ? [...page.items.reverse(), ...this.state.items] : [...this.state.items, ...page.items];
        this.set({ ...this.state, items: next, ...(isBackwards ? { hasBefore: page.next !== null } : { hasAfter: page.next !== null }) });
      },
      (error: unknown) => this.set({ ...this.state, error }),
    );
    await this.under.finally(() => (this.under = null));
  }

  /** The item after (or before) this one; null at the end. Loads when it has to. */
  async beside(seq: number, step: number): Promise<Item | null> {
    const known = this.known(seq, step);
    if (known) return known;
    await this.more(step < 0);
    return this.known(seq, step) ?? this.edge(step);
  }

  /** The same, when it is known already. */
  known(seq: number, step: number): Item | null {
    const { items, order, only } = this.state;
    const index = items.findIndex((item) => item.seq === seq);
    if (index >= 0) return items[index + step] ?? null;
    if (order !== "seq" || only) return step > 0 ? (items[0] ?? null) : null;
    return step > 0 ? (items.find((item) => item.seq > seq) ?? null) : (items.findLast((item) => item.seq < seq) ?? null);
  }

  private first({ filter, order, only }: Wanted, seq: number | null): Promise<Stretch> {
    if (only) return this.these(only);
    return order === "seq" ? this.around(filter, seq) : this.ordered(filter, order);
  }

  private async these(seqs: readonly number[]): Promise<Stretch> {
    const items = await Promise.all(seqs.map((seq) => this.api.item(seq)));
    return { items, total: items.length, isTotalCapped: false, hasBefore: false, hasAfter: false, cursor: null };
  }

  private async around(filter: ItemFilter, seq: number | null): Promise<Stretch> {
    const [after, before] = await Promise.all([
      this.api.items(filter, seq === null ? null : seq - 1, { limit: PAGE, withAnnotations: true }),
      seq === null || seq <= 1 ? null : this.api.items(filter, seq, { limit: PAGE / 2, isBackwards: true, withAnnotations: true }),
    ]);
    const items = [...(before?.items ?? []).reverse(), ...after.items];
    return { items, total: after.total, isTotalCapped: after.total_capped, hasBefore: (before?.next ?? null) !== null, hasAfter: after.next !== null, cursor: null };
  }

  private async ordered(filter: ItemFilter, order: ItemOrder): Promise<Stretch> {
    const { items, total, total_capped, next } = await this.api.ordered(filter, order, null, PAGE);
    return { items, total, isTotalCapped: total_capped, hasBefore: false, hasAfter: next !== null, cursor: next };
  }

  private beyond(isBackwards: boolean) {
    const { items, filter, order } = this.state;
    if (order !== "seq") return this.api.ordered(filter, order, this.cursor, PAGE);
    const edge = (isBackwards ? items[0] : items.at(-1))?.seq ?? null;
    return this.api.items(filter, edge, { limit: PAGE, isBackwards, withAnnotations: true });
  }

  /** A step of many lands on the last there is. */
  private edge(step: number): Item | null {
    if (Math.abs(step) === 1) return null;
    return (step > 0 ? this.state.items.at(-1) : this.state.items[0]) ?? null;
  }

  private set(next: ListState): void {
    this.state = next;
    this.listeners.forEach((listener) => listener());
  }
}
