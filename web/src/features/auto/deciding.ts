/** Accepting and rejecting many suggestions, and taking the last of it back. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Chosen } from "@/features/datasets/api";
import { useDatasetRefresh } from "@/features/datasets/queries";
import type { DatasetVersionRef } from "@/features/datasets/types";
import type { Verdict } from "@/features/annotate/model/suggestions";
import { useNotify } from "@/ui/notify";
import { acceptSuggestions, rejectSuggestions, undoDecision } from "./api";
import { lastDecisionKey } from "./queries";
import type { SuggestionsChanged } from "./types";

export type LastDecision = SuggestionsChanged & { verdict: Verdict };

interface Around {
  before?: () => Promise<void>;
  onChanged?: () => void;
}

/** Kept with what is known of the version, so that it can still be taken back on another tab or in the workbench. */
export function useLastDecision(of: DatasetVersionRef): LastDecision | null {
  return useQuery<LastDecision | null>({ queryKey: lastDecisionKey(of), queryFn: () => null, enabled: false, initialData: null, gcTime: Infinity }).data ?? null;
}

export function useDeciding(of: DatasetVersionRef, { before, onChanged }: Around) {
  const { t } = useTranslation("auto");
  const client = useQueryClient();
  const refresh = useDatasetRefresh();
  const notify = useNotify();
  const [isBusy, setBusy] = useState(false);
  const last = useLastDecision(of);
  const keep = (next: LastDecision | null) => client.setQueryData(lastDecisionKey(of), next);

  const run = async (change: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await before?.();
      await change();
      await refresh.dataset(of);
      onChanged?.();
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    last,
    isBusy,
    accept: (chosen: Chosen, threshold: number | null, below: "leave" | "drop") => run(async () => keep({ ...(await acceptSuggestions(of, chosen, threshold, below)), verdict: "accept" })),
    reject: (chosen: Chosen, threshold: number | null) => run(async () => keep({ ...(await rejectSuggestions(of, chosen, threshold)), verdict: "reject" })),
    undo: () =>
      run(async () => {
        if (!last?.action) return;
        const { changed, job } = await undoDecision(of, last.action);
        keep(null);
        notify.done(job ? t("bar.inBackground") : t("bar.undone", { count: changed }));
      }),
    forget: () => keep(null),
  };
}
