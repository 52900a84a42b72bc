/** The items of a tab, a stretch of them around the one that is open; more come as one moves along. */
import type { Item } from "../model/types";
import type { Api, ItemFilter } from "./api";

const PAGE = 60;

export interface ListState {
  filter: ItemFilter;
  items: Item[];
  total: number;
  isTotalCapped: boolean;
  isLoading: boolean;
  hasBefore: boolean;
  hasAfter: boolean;
  error: unknown;
}

const EMPTY: ListState = { filter: {}, items: [], total: 0, isTotalCapped: false, isLoading: true, hasBefore: false, hasAfter: false, error: null };

export class ItemList {
  private state: ListState = EMPTY;
  private readonly listeners = new Set<() => void>();
  private generation = 0;
  private under: Promise<void> | null = null;

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

  /** The stretch from `seq` on (it first, when it fits the filter), with some before it. */
  async open(filter: ItemFilter, seq: number | null): Promise<void> {
    const mine = ++this.generation;
    this.set({ ...EMPTY, filter });
    try {
      const [after, before] = await Promise.all([
        this.api.items(filter, seq === null ? null : seq - 1, { limit: PAGE, withAnnotations: true }),
        seq === null || seq <= 1 ? null : this.api.items(filter, seq, { limit: PAGE / 2, isBackwards: true, withAnnotations: true }),
      ]);
      if (mine !== this.generation) return;
      const items = [...(before?.items ?? []).reverse(), ...after.items];
      items.forEach(this.onItem);
      this.set({ filter, items, total: after.total, isTotalCapped: after.total_capped, isLoading: false, hasBefore: (before?.next ?? null) !== null, hasAfter: after.next !== null, error: null });
    } catch (error) {
      if (mine === this.generation) this.set({ ...this.state, isLoading: false, error });
    }
  }

  async more(isBackwards: boolean): Promise<void> {
    const { items, filter, hasAfter, hasBefore } = this.state;
    if (this.under || !(isBackwards ? hasBefore : hasAfter)) return this.under ?? undefined;
    const edge = (isBackwards ? items[0] : items.at(-1))?.seq ?? null;
    const mine = this.generation;
    this.under = this.api.items(filter, edge, { limit: PAGE, isBackwards, withAnnotations: true }).then(
      (page) => {
        if (mine !== this.generation) return;
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
    const { items } = this.state;
    const index = items.findIndex((item) => item.seq === seq);
    if (index >= 0) return items[index + step] ?? null;
    return step > 0 ? (items.find((item) => item.seq > seq) ?? null) : (items.findLast((item) => item.seq < seq) ?? null);
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
