import { FileSearchOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { factsQuery } from "@/features/models/queries";
import type { ModelRef } from "@/features/models/types";
import { useProjectPermission } from "@/features/projects/current-project";
import { newEntryPath } from "./queries";

/** For a model version: lets it look at a dataset. Refused with the reason where nothing is known of it. */
export function InferVersion({ model }: { model: ModelRef }) {
  const { t } = useTranslation("inference");
  const navigate = useNavigate();
  const canWrite = useProjectPermission(model.project, "inference.write");
  const { data: facts } = useQuery(factsQuery(model));
  const cannot = facts && !facts.can_annotate && !facts.can_evaluate ? t("cannot") : undefined;
  const reason = canWrite ? cannot : t("notAllowed");
  return (
    <Tooltip title={reason}>
      <Button icon={<FileSearchOutlined aria-hidden />} disabled={reason !== undefined} onClick={() => void navigate(newEntryPath(model.project, { model: `${model.model}@${model.version}` }))}>
        {t("action")}
      </Button>
    </Tooltip>
  );
}
