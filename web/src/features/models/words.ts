/** Tasks and metrics in words; what we have no words for is shown as it is called. */
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";

const LOWER_IS_BETTER = new Set(["cer", "wer", "rmse", "mae", "mse", "loss", "log_loss", "distance"]);
/** Not shares of something. */
const PLAIN = new Set(["rmse", "mae", "mse", "loss", "log_loss", "r2", "distance"]);

export const TASKS = ["image-classification", "object-detection", "segmentation", "keypoints", "ocr", "text-classification", "audio-classification", "tabular"] as const;

export function useTaskText(): (task: string) => string {
  const { t, i18n } = useTranslation("assets");
  return (task) => (i18n.exists(`assets:scene.${task}`) ? t(`scene.${task as "other"}`) : task);
}

export function useTaskOptions(): { value: string; label: string }[] {
  const text = useTaskText();
  return TASKS.map((task) => ({ value: task, label: text(task) }));
}

export function useMetricText(): (name: string) => string {
  const { t, i18n } = useTranslation("models");
  return (name) => (i18n.exists(`models:metric.${name}`) ? t(`metric.${name as "accuracy"}`) : name);
}

/** A share as a percentage, anything else as a number. */
export function useMetricValue(): (name: string, value: number | null | undefined) => string {
  const format = useFormat();
  return (name, value) => {
    if (value === null || value === undefined) return "–";
    return PLAIN.has(name) || value > 1 || value < 0 ? format.compact(value) : format.percent(value);
  };
}

export function isLowerBetter(metric: string): boolean {
  return LOWER_IS_BETTER.has(metric);
}
