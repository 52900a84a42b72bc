import { useTranslation } from "react-i18next";

export const KINDS = ["run", "environment", "build", "tensorboard", "import", "export", "preprocess", "dataset-scan", "package-build", "replica", "batch"] as const;
type Kind = (typeof KINDS)[number];

/** What kind of workload it is, in words; one this page does not know, as it is. */
export function useKindText(): (kind: string) => string {
  const { t } = useTranslation("workloads");
  return (kind) => ((KINDS as readonly string[]).includes(kind) ? t(`kind.${kind as Kind}`) : kind);
}
