import { EvaluateButton } from "./EvaluateButton";
import { EvaluationList } from "./EvaluationList";

/** Of a model version, or on a dataset version; what is known is filled in for the next one. */
export function EvaluationsTab({ project, model, dataset }: { project: string; model?: string; dataset?: string }) {
  return <EvaluationList project={project} model={model} dataset={dataset} action={<EvaluateButton project={project} model={model} dataset={dataset} />} />;
}
