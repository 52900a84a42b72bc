/** What can be done with something that is started again and again: a training task, an entry of batch inference. */
import { ControlOutlined, CopyOutlined, DeleteOutlined, EditOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";

interface Entry {
  id: string;
  name: string;
  runs_count: number;
}

/** What differs from kind to kind. */
export interface EntryKind<T extends Entry, B> {
  /** Why nothing of this may be done by the user. */
  refusal?: string;
  listPath: string;
  pathOf: (name: string) => string;
  /** Starts a run; says what it is called and where it is shown. */
  start: (entry: T, body: B) => Promise<{ name: string; path: string }>;
  copy: (entry: T, name: string) => Promise<{ name: string }>;
  remove: (entry: T) => Promise<unknown>;
  refresh: () => Promise<unknown>;
  startForm: (entry: T, onStart: (body: B) => Promise<void>, onClose: () => void) => ReactNode;
  /** Words that name the kind. */
  words: { created: (name: string) => string; deleteTitle: (name: string) => string; deleted: (name: string) => string };
}

export interface EntryActions<T extends Entry> {
  actionsOf: (entry: T) => RowAction[];
  start: (entry: T) => Promise<void>;
  dialog: ReactNode;
}

export function useEntryActions<T extends Entry, B extends object>(kind: EntryKind<T, B>): EntryActions<T> {
  const { t } = useTranslation(["workloads", "common"]);
  const navigate = useNavigate();
  const notify = useNotify();
  const remove = useRemove(kind);
  const [copied, setCopied] = useState<T | null>(null);
  const [changed, setChanged] = useState<T | null>(null);

  const startWith = async (entry: T, body: B) => {
    const run = await kind.start(entry, body);
    notify.done(t("entry.started", { name: run.name }));
    void kind.refresh();
    void navigate(run.path);
  };
  const start = (entry: T) => startWith(entry, {} as B).catch(notify.failed);
  const { refusal } = kind;
  const actionsOf = (entry: T): RowAction[] => [
    { key: "start", label: t("entry.start"), icon: <PlayCircleOutlined aria-hidden />, disabledReason: refusal, onClick: () => void start(entry) },
    { key: "startWith", label: t("entry.startWith"), icon: <ControlOutlined aria-hidden />, disabledReason: refusal, onClick: () => setChanged(entry) },
    { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, disabledReason: refusal, onClick: () => void navigate(`${kind.pathOf(entry.name)}/edit`) },
    { key: "copy", label: t("entry.copy"), icon: <CopyOutlined aria-hidden />, disabledReason: refusal, onClick: () => setCopied(entry) },
    {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      disabledReason: refusal ?? (entry.runs_count > 0 ? t("entry.hasRuns", { count: entry.runs_count }) : undefined),
      onClick: () => remove(entry),
    },
  ];
  const startForm = changed && kind.startForm(changed, (body) => startWith(changed, body), () => setChanged(null));
  const copyForm = copied && <CopyForm kind={kind} entry={copied} onClose={() => setCopied(null)} />;
  return { actionsOf, start, dialog: startForm ?? copyForm };
}

function useRemove<T extends Entry, B>(kind: EntryKind<T, B>) {
  const { t } = useTranslation(["workloads", "common"]);
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  return (entry: T) =>
    confirm({
      title: kind.words.deleteTitle(entry.name),
      text: t("entry.deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await kind.remove(entry);
        notify.done(kind.words.deleted(entry.name));
        void navigate(kind.listPath);
        await kind.refresh();
      },
    });
}

function CopyForm<T extends Entry, B>({ kind, entry, onClose }: { kind: EntryKind<T, B>; entry: T; onClose: () => void }) {
  const { t } = useTranslation("workloads");
  const navigate = useNavigate();
  const notify = useNotify();
  return (
    <FormModal<{ name: string }>
      title={t("entry.copyTitle", { name: entry.name })}
      submitText={t("entry.copy")}
      initialValues={{ name: `${entry.name}-copy` }}
      onSubmit={async ({ name }) => {
        const made = await kind.copy(entry, name);
        await kind.refresh();
        notify.done(kind.words.created(made.name));
        void navigate(kind.pathOf(made.name));
      }}
      onClose={onClose}
    >
      <NameField />
    </FormModal>
  );
}
