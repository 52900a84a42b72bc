import { AimOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { EvaluateForm } from "./EvaluateForm";

interface EvaluateButtonProps {
  project: string;
  /** What is known already: `name@3`. */
  model?: string;
  dataset?: string;
  isPrimary?: boolean;
  /** Why it cannot be done now. */
  refusal?: string;
}

export function EvaluateButton({ project, model, dataset, isPrimary, refusal }: EvaluateButtonProps) {
  const { t } = useTranslation("evaluations");
  const canWrite = useProjectPermission(project, "training.write");
  const [isOpen, setOpen] = useState(false);
  const reason = canWrite ? refusal : t("notAllowed");
  return (
    <>
      <Tooltip title={reason}>
        <Button type={isPrimary ? "primary" : "default"} icon={<AimOutlined aria-hidden />} disabled={reason !== undefined} onClick={() => setOpen(true)}>
          {t("evaluate.action")}
        </Button>
      </Tooltip>
      {isOpen && <EvaluateForm project={project} model={model} dataset={dataset} onClose={() => setOpen(false)} />}
    </>
  );
}
