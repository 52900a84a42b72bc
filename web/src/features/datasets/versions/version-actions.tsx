/** What can be done with a version of a dataset; the first is what one most likely wants. */
import { CheckOutlined, CloudUploadOutlined, DeleteOutlined, DiffOutlined, ExportOutlined, FileSearchOutlined, HighlightOutlined, PlusOutlined, RobotOutlined, ThunderboltOutlined } from "@ant-design/icons";
import { Form, Input } from "antd";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTrackJob } from "@/features/activity/jobs";
import { annotatePath } from "@/features/annotate/addresses";
import { autoPath } from "@/features/auto/addresses";
import { useExplainReferrers } from "@/features/assets/explain-referrers";
import { newEntryPath } from "@/features/inference/queries";
import { useProjectPermission } from "@/features/projects/current-project";
import { DESCRIPTION_MAX } from "@/lib/limits";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { datasetPath, datasetVersionPath } from "../addresses";
import { deleteDatasetVersion, publishDatasetVersion } from "../api";
import { refOf } from "../dataset-actions";
import { isAtWork, useDatasetRefresh } from "../queries";
import type { DatasetVersionView, DatasetView } from "../types";
import { NewVersionForm } from "./NewVersionForm";

export function useVersionActions(dataset: DatasetView, version: DatasetVersionView): { actions: RowAction[]; dialog: ReactNode } {
  const { t } = useTranslation(["datasets", "common", "auto", "models", "inference"]);
  const navigate = useNavigate();
  const confirm = useConfirm();
  const explain = useExplainReferrers();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [dialog, setDialog] = useState<"publish" | "new" | null>(null);
  const ref = { ...refOf(dataset), version: version.number };
  const canWrite = dataset.permissions.includes("write");
  const canDelete = useProjectPermission(dataset.project, "dataset.delete");
  const canInfer = useProjectPermission(dataset.project, "inference.write");
  const isDraft = version.work === "draft";
  const go = (path: string) => () => void navigate(path);
  const busyReason = isAtWork(version) ? t(`workReason.${version.work as "copying" | "publishing"}`) : undefined;
  const emptyReason = version.items === 0 ? t("noItemsYet") : undefined;

  const remove = () =>
    confirm({
      title: t("deleteVersion.title", { name: version.name }),
      text: t("deleteVersion.text"),
      okText: t("common:action.delete"),
      explain,
      onConfirm: async () => {
        await deleteDatasetVersion(ref);
        await navigate(datasetPath(ref), { replace: true, flushSync: true });
        await refresh.dataset(ref);
        notify.done(t("deleteVersion.done", { name: version.name }));
      },
    });

  const annotate: RowAction = {
    key: "annotate",
    label: version.can_annotate ? t("annotate.action") : t("annotate.view"),
    icon: <HighlightOutlined aria-hidden />,
    disabledReason: emptyReason ?? (version.annotation_type === "none" ? t("annotate.none") : undefined),
    onClick: go(annotatePath(ref.project, ref.dataset, ref.version)),
  };
  const importing: RowAction = { key: "import", label: t("import.action"), icon: <CloudUploadOutlined aria-hidden />, disabledReason: busyReason, onClick: go(datasetVersionPath(ref, "import")) };
  const train: RowAction = {
    key: "train",
    label: t("models:train.action"),
    icon: <ThunderboltOutlined aria-hidden />,
    disabledReason: busyReason ?? emptyReason ?? (version.annotation_type === "none" ? t("annotate.none") : undefined),
    onClick: go(datasetVersionPath(ref, "train")),
  };
  const isEmptyDraft = canWrite && isDraft && version.items === 0;
  const actions: RowAction[] = [
    ...(isEmptyDraft ? [importing, annotate] : canWrite && isDraft ? [annotate, importing] : isDraft ? [annotate] : [train, annotate]),
    ...(canWrite && isDraft && version.annotation_type !== "none" ? [{ key: "auto", label: t("auto:action"), icon: <RobotOutlined aria-hidden />, disabledReason: emptyReason, onClick: go(autoPath(ref)) }] : []),
    ...(canInfer
      ? [{ key: "infer", label: t("inference:action"), icon: <FileSearchOutlined aria-hidden />, disabledReason: busyReason ?? emptyReason, onClick: go(newEntryPath(dataset.project, { dataset: `${dataset.name}@${version.number}` })) }]
      : []),
    { key: "export", label: t("export.action"), icon: <ExportOutlined aria-hidden />, disabledReason: emptyReason, onClick: go(`${datasetVersionPath(ref)}?tab=exports${canWrite ? "&new=1" : ""}`) },
    ...(canWrite && isDraft
      ? [{ key: "publish", label: t("publish.action"), icon: <CheckOutlined aria-hidden />, disabledReason: emptyReason, onClick: () => setDialog("publish") }]
      : []),
    ...(isDraft ? [train] : []),
    {
      key: "compare",
      label: t("compare.action"),
      icon: <DiffOutlined aria-hidden />,
      disabledReason: dataset.versions_count < 2 ? t("compare.onlyOne") : undefined,
      onClick: go(`${datasetVersionPath(ref)}?tab=compare`),
    },
    ...(canWrite ? [{ key: "new", label: t("newVersion.fromThis"), icon: <PlusOutlined aria-hidden />, disabledReason: busyReason, onClick: () => setDialog("new") }] : []),
    ...(canDelete ? [{ key: "delete", label: t("deleteVersion.action"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: busyReason, onClick: remove }] : []),
  ];
  return {
    actions,
    dialog: (
      <>
        {dialog === "publish" && <PublishForm dataset={dataset} version={version} onClose={() => setDialog(null)} />}
        {dialog === "new" && <NewVersionForm dataset={dataset} from={version} onClose={() => setDialog(null)} />}
      </>
    ),
  };
}

function PublishForm({ dataset, version, onClose }: { dataset: DatasetView; version: DatasetVersionView; onClose: () => void }) {
  const { t } = useTranslation("datasets");
  const track = useTrackJob();
  const refresh = useDatasetRefresh();
  const ref = { ...refOf(dataset), version: version.number };
  const open = version.items - version.done - (version.states.aside ?? 0);
  return (
    <FormModal<{ note: string }>
      title={t("publish.title", { name: version.name })}
      submitText={t("publish.submit")}
      initialValues={{ note: version.note }}
      onSubmit={async ({ note }) => {
        track(await publishDatasetVersion(ref, note));
        await refresh.dataset(ref);
      }}
      onClose={onClose}
    >
      <p style={{ marginBottom: 12 }}>{t("publish.text")}</p>
      {open > 0 && version.annotation_type !== "none" && <p style={{ marginBottom: 12 }}>{t("publish.open", { count: open })}</p>}
      <NoteField />
    </FormModal>
  );
}

export function NoteField() {
  const { t } = useTranslation(["datasets", "common"]);
  return (
    <Form.Item name="note" label={t("note.label")} rules={[{ max: DESCRIPTION_MAX, message: t("common:description.long", { max: DESCRIPTION_MAX }) }]}>
      <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} count={{ show: true, max: DESCRIPTION_MAX }} placeholder={t("note.placeholder")} />
    </Form.Item>
  );
}
