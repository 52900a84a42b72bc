/** What can be done with a version. */
import { BranchesOutlined, CheckOutlined, CopyOutlined, DeleteOutlined, EditOutlined, PlusOutlined } from "@ant-design/icons";
import { Form, Input, Radio } from "antd";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTrackJob } from "@/features/activity/jobs";
import { useIsUploadingTo } from "@/features/files/upload/uploads";
import type { VersionRef } from "@/features/files/version-ref";
import { useProjectPermission } from "@/features/projects/current-project";
import { DESCRIPTION_MAX } from "@/lib/limits";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { assetPath, versionPath } from "./addresses";
import { commitVersion, createVersion, deleteVersion, patchVersion } from "./api";
import { refOf } from "./asset-actions";
import { CopyForm } from "./CopyForm";
import { GitImportForm } from "./GitImportForm";
import { useRefresh } from "./queries";
import { Referrers } from "./Referrers";
import type { AssetView, VersionView } from "./types";

type Dialog = "commit" | "note" | "new" | "git" | "copy";

export function useVersionActions(asset: AssetView, version: VersionView) {
  const { t } = useTranslation(["assets", "common"]);
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefresh();
  const track = useTrackJob();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const ref: VersionRef = { ...refOf(asset), version: version.number };
  const isUploading = useIsUploadingTo(ref);
  const canWrite = asset.permissions.includes("write");
  // The asset itself goes only by its creator's hand; a version by anybody's who may delete in the project.
  const canDelete = useProjectPermission(asset.project, `${asset.kind}.delete`);
  const isDraft = version.state === "draft";
  const close = () => setDialog(null);
  const changed = async (text: string) => {
    await refresh.asset(ref);
    notify.done(text);
  };

  const remove = () =>
    confirm({
      title: t("deleteVersion.title", { name: version.name }),
      text: t("deleteVersion.text"),
      okText: t("common:action.delete"),
      explain: (error, closeDialog) => (
        <Referrers
          error={error}
          onOpen={(link) => {
            closeDialog();
            void navigate(link);
          }}
        />
      ),
      onConfirm: async () => {
        await deleteVersion(ref);
        await navigate(assetPath(ref), { replace: true, flushSync: true });
        await changed(t("deleteVersion.done", { name: version.name }));
      },
    });
  const commitReason = version.files === 0 ? t("commit.empty") : isUploading ? t("commit.uploading") : undefined;
  const primary: RowAction | null = !canWrite
    ? null
    : isDraft
      ? { key: "commit", label: t("commit.action"), icon: <CheckOutlined aria-hidden />, disabledReason: commitReason, onClick: () => setDialog("commit") }
      : { key: "new", label: t("newVersion.action"), icon: <PlusOutlined aria-hidden />, onClick: () => setDialog("new") };
  const more: RowAction[] = [
    ...(canWrite && isDraft
      ? [
          { key: "git", label: t("git.action"), icon: <BranchesOutlined aria-hidden />, onClick: () => setDialog("git") },
          { key: "new", label: t("newVersion.action"), icon: <PlusOutlined aria-hidden />, onClick: () => setDialog("new") },
        ]
      : []),
    ...(canWrite ? [{ key: "note", label: t("note.action"), icon: <EditOutlined aria-hidden />, onClick: () => setDialog("note") }] : []),
    { key: "copy", label: t("copy.actionVersion"), icon: <CopyOutlined aria-hidden />, onClick: () => setDialog("copy") },
    ...(canDelete ? [{ key: "delete", label: t("deleteVersion.action"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: remove }] : []),
  ];
  return { primary, more, makeNewVersion: canWrite ? () => setDialog("new") : undefined, importGit: () => setDialog("git"), dialog: dialog && renderDialog(dialog) };

  function renderDialog(open: Dialog): ReactNode {
    switch (open) {
      case "commit":
        return (
          <NoteForm
            title={t("commit.title", { name: version.name })}
            text={t("commit.text")}
            submitText={t("commit.submit")}
            note={version.note}
            onSubmit={async (note) => {
              await commitVersion(ref, note);
              await changed(t("commit.done", { name: version.name }));
            }}
            onClose={close}
          />
        );
      case "note":
        return (
          <NoteForm
            title={t("note.title", { name: version.name })}
            submitText={t("common:action.save")}
            note={version.note}
            onSubmit={async (note) => {
              await patchVersion(ref, { note });
              await changed(t("common:saved"));
            }}
            onClose={close}
          />
        );
      case "new":
        return <NewVersionForm asset={asset} from={version} onClose={close} />;
      case "git":
        return <GitImportForm target={() => Promise.resolve(ref)} onStarted={track} onClose={close} />;
      case "copy":
        return (
          <CopyForm
            source={ref}
            kind={asset.kind}
            into={asset.project}
            onCopied={(made) => {
              void refresh.assets(made.project, ref.kind);
              notify.done(t("copy.done", { name: made.name }));
              void navigate(assetPath(refOf(made)));
            }}
            onClose={close}
          />
        );
    }
  }
}

interface NoteFormProps {
  title: string;
  text?: string;
  submitText: string;
  note: string;
  onSubmit: (note: string) => Promise<unknown>;
  onClose: () => void;
}

function NoteForm({ title, text, submitText, note, onSubmit, onClose }: NoteFormProps) {
  return (
    <FormModal<{ note: string }> title={title} submitText={submitText} initialValues={{ note }} onSubmit={(values) => onSubmit(values.note)} onClose={onClose}>
      {text && <p style={{ marginBottom: 16 }}>{text}</p>}
      <NoteField />
    </FormModal>
  );
}

function NoteField() {
  const { t } = useTranslation(["assets", "common"]);
  return (
    <Form.Item name="note" label={t("note.label")} rules={[{ max: DESCRIPTION_MAX, message: t("common:description.long", { max: DESCRIPTION_MAX }) }]}>
      <Input.TextArea autoFocus autoSize={{ minRows: 2, maxRows: 6 }} count={{ show: true, max: DESCRIPTION_MAX }} placeholder={t("note.placeholder")} />
    </Form.Item>
  );
}

/** A draft that starts with the files of `from`, or empty when there is nothing to start from. */
function NewVersionForm({ asset, from, onClose }: { asset: AssetView; from: VersionView; onClose: () => void }) {
  const { t } = useTranslation(["assets", "common"]);
  const navigate = useNavigate();
  const refresh = useRefresh();
  const ref = refOf(asset);
  return (
    <FormModal<{ note: string; isEmpty: boolean }>
      title={t("newVersion.title", { name: asset.name })}
      submitText={t("newVersion.submit")}
      initialValues={{ note: "", isEmpty: false }}
      onSubmit={async ({ note, isEmpty }) => {
        const made = await createVersion(ref, { note, from: isEmpty ? undefined : String(from.number) });
        await refresh.asset(ref);
        await navigate(versionPath({ ...ref, version: made.number }));
      }}
      onClose={onClose}
    >
      <StartField from={from.number} />
      <NoteField />
    </FormModal>
  );
}

function StartField({ from }: { from: number }) {
  const { t } = useTranslation(["assets", "common"]);
  return (
    <Form.Item name="isEmpty" label={t("newVersion.start")} extra={t("newVersion.hint")}>
      <Radio.Group options={[{ value: false, label: t("newVersion.from", { number: from }) }, { value: true, label: t("newVersion.empty") }]} />
    </Form.Item>
  );
}
