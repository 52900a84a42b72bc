/** The labels of a version. */
import { DownloadOutlined, TagsOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Dropdown, Form } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LabelSetSelect } from "@/features/label-sets/LabelSetSelect";
import { applyLabelSet, saveAsLabelSet } from "@/features/label-sets/api";
import { useLabelSetsRefresh } from "@/features/label-sets/queries";
import { ErrorState } from "@/ui/ErrorState";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import { Loading } from "@/ui/Loading";
import { useNotify } from "@/ui/notify";
import { versionApi } from "../addresses";
import { addLabels, deleteLabel, updateLabel } from "../api";
import { refOf } from "../dataset-actions";
import { labelsQuery, useDatasetRefresh } from "../queries";
import type { DatasetVersionView, DatasetView } from "../types";
import { draftsOf, patchOf, putOf } from "./label-draft";
import { LabelsEditor } from "./LabelsEditor";
import type { LabelChanges } from "./LabelsEditor";

const FORMATS = ["json", "csv", "txt"] as const;

export function LabelsTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation(["datasets", "common"]);
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const refreshSets = useLabelSetsRefresh();
  const [dialog, setDialog] = useState<"apply" | "save" | null>(null);
  const ref = { ...refOf(dataset), version: version.number };
  const labels = useQuery(labelsQuery(ref));
  if (labels.isPending) return <Loading />;
  if (labels.isError) return <ErrorState error={labels.error} onRetry={() => void labels.refetch()} />;
  const drafts = draftsOf(labels.data.items);
  const canWrite = dataset.permissions.includes("write");
  const saved = async (work: Promise<unknown>) => {
    await work;
    await refresh.version(ref);
    notify.done(t("common:saved"));
  };
  const changes: LabelChanges = {
    add: (added) => saved(addLabels(ref, added.map(putOf))),
    change: (old, next) => saved(updateLabel(ref, old.number ?? 0, patchOf(next, drafts))),
    remove: (draft) => saved(deleteLabel(ref, draft.number ?? 0)),
    move: (draft, position) => saved(updateLabel(ref, draft.number ?? 0, { position })),
  };
  const isDraft = version.work === "draft";
  return (
    <>
      <LabelsEditor
        drafts={drafts}
        changes={canWrite && isDraft ? changes : null}
        hasSkeleton={dataset.annotation_type === "keypoints"}
        extra={
          <>
            {drafts.length > 0 && (
              <Dropdown trigger={["click"]} menu={{ items: FORMATS.map((format) => ({ key: format, label: <a href={`${versionApi(ref)}/label-list?format=${format}`}>{t(`labels.list.${format}`)}</a> })) }}>
                <Button icon={<DownloadOutlined aria-hidden />}>{t("labels.download")}</Button>
              </Dropdown>
            )}
            {canWrite && (
              <Dropdown
                trigger={["click"]}
                menu={{
                  items: [
                    ...(isDraft ? [{ key: "apply", label: t("labels.apply"), onClick: () => setDialog("apply") }] : []),
                    ...(drafts.length > 0 ? [{ key: "save", label: t("labels.saveAs"), onClick: () => setDialog("save") }] : []),
                  ],
                }}
              >
                <Button icon={<TagsOutlined aria-hidden />}>{t("labels.sets")}</Button>
              </Dropdown>
            )}
          </>
        }
      />
      {dialog === "apply" && (
        <FormModal<{ label_set?: string }> title={t("labels.apply")} submitText={t("labels.applySubmit")} initialValues={{}} onSubmit={({ label_set = "" }) => saved(applyLabelSet(ref, label_set))} onClose={() => setDialog(null)}>
          <Form.Item name="label_set" label={t("labels.set")} required extra={t("labels.applyHint")} rules={[{ required: true, message: t("labels.setMissing") }]}>
            <LabelSetSelect project={ref.project} />
          </Form.Item>
        </FormModal>
      )}
      {dialog === "save" && (
        <FormModal<{ name: string }>
          title={t("labels.saveAs")}
          submitText={t("common:action.create")}
          initialValues={{ name: dataset.name }}
          onSubmit={async ({ name }) => {
            await saveAsLabelSet(ref.project, { name, description: "", version: `${ref.dataset}@${ref.version}` });
            await refreshSets(ref.project);
            notify.done(t("labels.setMade", { name }));
          }}
          onClose={() => setDialog(null)}
        >
          <NameField />
        </FormModal>
      )}
    </>
  );
}
