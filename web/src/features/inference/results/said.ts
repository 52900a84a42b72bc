import { useTranslation } from "react-i18next";
import { labelCounts } from "@/features/evaluations/examples";
import { useFormat } from "@/lib/format";
import type { ResultView } from "../types";
import { annotationsOf } from "./result";

/** What was said of an item, in a few words. */
export function useSaid(): (result: ResultView) => string {
  const { t } = useTranslation("inference");
  const format = useFormat();
  return (result) => {
    if (result.error !== null) return result.error;
    if (result.value !== null) return format.compact(result.value);
    const annotations = annotationsOf(result);
    const texts = annotations.flatMap((one) => (typeof one.text === "string" && one.text ? [one.text] : []));
    if (texts.length > 0) return texts.join(" · ");
    const labels = labelCounts(annotations).map(({ label, count }) => (count > 1 ? t("results.times", { label, count }) : label));
    return labels.length > 0 ? labels.join(" · ") : t("results.nothing");
  };
}
