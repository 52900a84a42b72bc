import { useTranslation } from "react-i18next";
import type { InferenceSettings } from "./types";

/** What looks at what, in a few words: `boats@3 → harbour@2`, or the command. */
export function useLookedAt(): (settings: InferenceSettings) => string {
  const { t } = useTranslation("inference");
  return (settings) => {
    if (settings.form === "code") return settings.algorithm ?? settings.command ?? "";
    return t("onData", { source: sourceName(settings), dataset: settings.dataset ?? "" });
  };
}

export function sourceName({ source }: InferenceSettings): string {
  return (source?.type === "model" ? source.model : (source?.service ?? source?.url)) ?? "";
}
