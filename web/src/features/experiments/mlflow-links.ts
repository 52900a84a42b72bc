/**
 * MLflow's client prints addresses of its own web pages when a run ends: `…/#/experiments/<id>/runs/<id>` below the
 * address it logs to. They lead to ours.
 */
const PRINTED = /^#\/experiments\/([^/?]+)(?:\/runs\/([^/?]+))?/;
const PROJECT = /^\/p\/([^/]+)/;

/** Our address for a printed one; null for every other. Without a project in the address, the last one looked at is meant. */
export function addressOfPrinted(path: string, hash: string, lastProject: string | null): string | null {
  const found = PRINTED.exec(hash);
  const project = PROJECT.exec(path)?.[1] ?? (lastProject === null ? undefined : encodeURIComponent(lastProject));
  if (!found || project === undefined) return null;
  const [, experiment, run] = found;
  return `/p/${project}/experiments/${experiment}${run ? `/runs/${run}` : ""}`;
}
