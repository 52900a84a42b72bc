import { useTranslation } from "react-i18next";
import { useProjectName } from "@/features/projects/current-project";
import { EvaluateButton } from "./EvaluateButton";
import { EvaluationList } from "./EvaluationList";

/** How good which model is on which data. */
export default function EvaluationsPage() {
  const { t } = useTranslation("evaluations");
  const project = useProjectName();
  return <EvaluationList project={project} title={t("title")} description={t("text")} action={<EvaluateButton project={project} isPrimary />} />;
}
