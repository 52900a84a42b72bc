/** The newest model trained from the dataset looks at what is not labelled yet. */
import { useTranslation } from "react-i18next";
import { useDatasetRefresh } from "@/features/datasets/queries";
import type { DatasetRef } from "@/features/datasets/types";
import { FormModal } from "@/ui/form/FormModal";
import { annotateDraft } from "./api";
import { ThresholdField } from "./RetrainForm";
import type { Loop } from "./types";

interface AnnotateFormProps {
  of: DatasetRef;
  loop: Loop;
  onStarted: () => void;
  onClose: () => void;
}

export function AnnotateForm({ of, loop, onStarted, onClose }: AnnotateFormProps) {
  const { t } = useTranslation("loop");
  const refresh = useDatasetRefresh();
  return (
    <FormModal<{ thresholdPercent: number }>
      title={t("annotate.title", { name: of.dataset })}
      submitText={t("action.auto")}
      initialValues={{ thresholdPercent: 50 }}
      onSubmit={async ({ thresholdPercent }) => {
        await annotateDraft(of, thresholdPercent / 100);
        await refresh.dataset(of);
        onStarted();
      }}
      onClose={onClose}
    >
      <p style={{ marginBottom: 16 }}>{t("annotate.text", { model: loop.model ?? "", number: loop.unlabelled + loop.suggested })}</p>
      <ThresholdField />
    </FormModal>
  );
}
