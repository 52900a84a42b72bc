/** Long work and versions as the server tells of them: what is shown follows without being asked for. */
import type { Query, QueryClient } from "@tanstack/react-query";
import { takeNews } from "@/lib/news";
import { datasetKey, versionKey } from "../queries";
import type { DatasetVersionRef, DatasetVersionView, VersionNews, WorkNews } from "../types";

export type WorkKind = "imports" | "exports" | "preprocess" | "scans" | "auto";

const KINDS: Record<WorkNews["kind"], WorkKind> = { import: "imports", export: "exports", preprocess: "preprocess", scan: "scans", auto: "auto" };

export const worksKey = (ref: DatasetVersionRef, kind: WorkKind) => [...versionKey(ref), kind] as const;

export function isUnderWay({ state }: { state: string }): boolean {
  return state === "waiting" || state === "running" || state === "generating";
}

interface Shown {
  id: string;
  state: string;
}

interface ShownPages {
  pages: { items: Shown[] }[];
}

/** A work that began, came further or ended. */
export function takeWork(client: QueryClient, work: WorkNews): void {
  const { dataset, version } = work;
  // News do not name the project: what another one has under the same names is at worst read once too often.
  const isOf = ({ queryKey: [all, project, ...rest] }: Query) =>
    all === "datasets" && worksKey({ project: String(project), dataset, version }, KINDS[work.kind]).slice(2).every((part, at) => part === rest[at]);
  for (const query of client.getQueryCache().findAll({ predicate: isOf })) {
    const next = withProgress(query.state.data as Shown | ShownPages | undefined, work);
    if (next) takeNews(client, { queryKey: query.queryKey, exact: true }, () => next);
    else if (isAbout(query.queryKey.at(-1), work)) void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}

function isAbout(last: unknown, { id }: WorkNews): boolean {
  return last === "list" || last === id;
}

/** With how far it is; undefined where it has to be read: it is new, it began or ended, or this holds something else. */
function withProgress(data: Shown | ShownPages | undefined, work: WorkNews): Shown | ShownPages | undefined {
  if (!data || !isUnderWay(work)) return undefined;
  if ("pages" in data) {
    const isKnown = data.pages.some((page) => page.items?.some((one) => one.id === work.id && isUnderWay(one)));
    return isKnown ? { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map((one) => moved(one, work)) })) } : undefined;
  }
  return data.id === work.id && isUnderWay(data) ? moved(data, work) : undefined;
}

function moved<W extends Shown>(shown: W, { id, state, stage, done, total, progress, counts, notes }: WorkNews): W {
  if (shown.id !== id) return shown;
  // An export says another word for it.
  return { ...shown, stage, done, total, progress, counts, notes, ...(shown.state === "generating" ? {} : { state }) };
}

/** A version whose items, annotations or labels changed, or that is being copied or published. */
export function takeVersion(client: QueryClient, { version_id, dataset, ...news }: VersionNews): void {
  const isIt = ({ queryKey, state }: Query) => queryKey[0] === "datasets" && queryKey.at(-1) === "view" && (state.data as Partial<DatasetVersionView> | undefined)?.id === version_id;
  for (const query of client.getQueryCache().findAll({ predicate: isIt })) {
    const old = query.state.data as DatasetVersionView;
    if (old.item_revision > news.item_revision) continue;
    takeNews<DatasetVersionView>(client, { queryKey: query.queryKey, exact: true }, () => ({ ...old, ...news }));
    if (old.work !== news.work) void client.invalidateQueries({ queryKey: datasetKey({ project: String(query.queryKey[1]), dataset }) });
  }
}
