import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { factsQuery } from "@/features/models/queries";
import type { ModelRef } from "@/features/models/types";
import { EvaluateButton } from "./EvaluateButton";

/** For a model version: refused with the reason where nothing is known of it. */
export function EvaluateVersion({ model }: { model: ModelRef }) {
  const { t } = useTranslation("evaluations");
  const { data: facts } = useQuery(factsQuery(model));
  const refusal = facts?.can_evaluate === false ? t("evaluate.cannot") : undefined;
  return <EvaluateButton project={model.project} model={`${model.model}@${model.version}`} refusal={refusal} />;
}
