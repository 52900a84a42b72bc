/** What the form of a start holds, and how it becomes what the server takes: only what is otherwise than in the entry. */
import type { InferenceView, StartBody } from "./types";

export interface StartValues {
  dataset: string | null;
  threshold: number | null;
  spec: string | null;
  priority: NonNullable<StartBody["priority"]>;
  token?: string;
}

type Started = Pick<InferenceView, "settings">;

export function startValues({ settings }: Started): StartValues {
  return { dataset: settings.dataset ?? null, threshold: settings.threshold ?? null, spec: settings.spec ?? null, priority: settings.priority };
}

export function startBody({ settings }: Started, { dataset, threshold, spec, priority, token }: StartValues): StartBody {
  return {
    ...(dataset && dataset !== settings.dataset && { dataset }),
    ...(threshold !== null && threshold !== settings.threshold && { threshold }),
    ...(spec && spec !== settings.spec && { spec }),
    ...(priority !== settings.priority && { priority }),
    ...(token && { token }),
  };
}
