/** One dataset: its versions, and what refers to it. */
import { useQuery } from "@tanstack/react-query";
import { PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { ReferencesTab } from "@/features/assets/ReferencesTab";
import { LoopTab } from "@/features/loop/LoopTab";
import { useProjectName } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { ActionButtons } from "@/ui/ActionButtons";
import { RelativeTime } from "@/ui/RelativeTime";
import { ThingPage } from "@/ui/ThingPage";
import { datasetPath, datasetsPath } from "./addresses";
import { useTypeText } from "./data-types";
import { refOf, useDatasetActions } from "./dataset-actions";
import { DatasetJobs } from "./DatasetJobs";
import { datasetQuery } from "./queries";
import type { DatasetView } from "./types";
import { NewVersionForm } from "./versions/NewVersionForm";
import { VersionsTab } from "./versions/VersionsTab";

export default function DatasetPage() {
  const { t } = useTranslation(["datasets", "loop"]);
  const { dataset: name = "" } = useParams();
  const project = useProjectName();
  const navigate = useNavigate();
  const format = useFormat();
  const typeText = useTypeText();
  const [isMaking, setMaking] = useState(false);
  const query = useQuery(datasetQuery({ project, dataset: name }));
  const { actionsOf, dialog } = useDatasetActions({
    onDeleted: () => navigate(datasetsPath(project), { flushSync: true }),
    onRenamed: (dataset) => navigate(datasetPath(refOf(dataset)), { replace: true }),
  });
  const makeButton = (
    <Button key="new" type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setMaking(true)}>
      {t("newVersion.action")}
    </Button>
  );
  return (
    <>
      <ThingPage<DatasetView>
        query={query}
        render={(dataset) => ({
          name: dataset.name,
          id: dataset.id,
          facts: (
            <>
              <span>{t(`dataType.${dataset.data_type}`)}</span>
              {dataset.annotation_type !== "none" && <span>{typeText(dataset)}</span>}
              <span>{format.bytes(dataset.size_bytes)}</span>
              <span>{t("madeBy", { name: dataset.created_by })}</span>
              <RelativeTime at={dataset.created_at} />
            </>
          ),
          description: dataset.description,
          actions: (
            <>
              {dataset.permissions.includes("write") && dataset.versions_count > 0 && makeButton}
              <ActionButtons actions={actionsOf(dataset)} />
            </>
          ),
          banner: <DatasetJobs dataset={refOf(dataset)} />,
          tabs: [
            { key: "versions", label: t("tab.versions"), content: <VersionsTab dataset={dataset} /> },
            ...(dataset.annotation_type === "none" ? [] : [{ key: "loop", label: t("loop:tab"), content: <LoopTab dataset={dataset} /> }]),
            { key: "references", label: t("tab.references"), content: <ReferencesTab asset={dataset} /> },
          ],
        })}
      />
      {dialog}
      {isMaking && query.data && <NewVersionForm dataset={query.data} onClose={() => setMaking(false)} />}
    </>
  );
}
