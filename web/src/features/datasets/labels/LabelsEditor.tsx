/** Labels in two levels, as a list that can be edited: of a version, or of a set. Every change is saved at once. */
import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, EditOutlined, PlusOutlined, UnorderedListOutlined } from "@ant-design/icons";
import { Button, Form, Input, Table } from "antd";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { EmptyState } from "@/ui/EmptyState";
import { FormModal } from "@/ui/form/FormModal";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { TableBox } from "@/ui/ScrollBox";
import { draftTree, isSame, parseNames, placeAfterMove } from "./label-draft";
import type { DraftRow, LabelDraft } from "./label-draft";
import { LabelForm } from "./LabelForm";
import surfaces from "@/ui/Surfaces.module.css";
import styles from "./Labels.module.css";

export interface LabelChanges {
  add: (drafts: LabelDraft[]) => Promise<unknown>;
  change: (old: LabelDraft, next: LabelDraft) => Promise<unknown>;
  remove: (draft: LabelDraft) => Promise<unknown>;
  /** To this place in the whole list. */
  move: (draft: LabelDraft, place: number) => Promise<unknown>;
}

interface LabelsEditorProps {
  drafts: LabelDraft[];
  /** Null where nothing can be changed. */
  changes: LabelChanges | null;
  hasSkeleton: boolean;
  extra?: ReactNode;
}

type Dialog = { kind: "one"; label: LabelDraft | null; under?: string | null } | { kind: "many" };

export function LabelsEditor({ drafts, changes, hasSkeleton, extra }: LabelsEditorProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [q, setQ] = useState("");
  const close = () => setDialog(null);
  const wanted = q.trim().toLowerCase();
  const rows = draftTree(drafts).filter(({ draft }) => draft.name.toLowerCase().includes(wanted));
  return (
    <div className={surfaces.box}>
      <div className={surfaces.tools}>
        {drafts.length > 0 && <Input.Search className={styles.search} allowClear aria-label={t("labels.search")} placeholder={t("labels.search")} onChange={(event) => setQ(event.target.value)} />}
        <span className={styles.end}>
          {extra}
          {changes && (
            <>
              <Button icon={<UnorderedListOutlined aria-hidden />} onClick={() => setDialog({ kind: "many" })}>
                {t("labels.addMany")}
              </Button>
              <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setDialog({ kind: "one", label: null })}>
                {t("labels.add")}
              </Button>
            </>
          )}
        </span>
      </div>
      {drafts.length === 0 ? (
        <EmptyState title={t("labels.none")} text={changes ? t("labels.noneText") : undefined} />
      ) : (
        <LabelTable rows={rows} drafts={drafts} changes={changes} onOpen={setDialog} />
      )}
      {dialog?.kind === "one" && changes && (
        <LabelForm
          label={dialog.label}
          under={dialog.under}
          hasSkeleton={hasSkeleton}
          parents={parentsFor(drafts, dialog.label)}
          onSubmit={(next) => (dialog.label ? changes.change(dialog.label, next) : changes.add([next]))}
          onClose={close}
        />
      )}
      {dialog?.kind === "many" && changes && <ManyForm onAdd={changes.add} onClose={close} />}
    </div>
  );
}

interface LabelTableProps {
  rows: DraftRow[];
  drafts: LabelDraft[];
  changes: LabelChanges | null;
  onOpen: (dialog: Dialog) => void;
}

function LabelTable({ rows, drafts, changes, onOpen }: LabelTableProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  const isCounted = drafts.some((draft) => draft.annotations !== undefined);
  return (
    <TableBox label={t("tab.labels")}>
      <Table<DraftRow>
        size="small"
        rowKey={({ draft }) => JSON.stringify([draft.parent, draft.name])}
        dataSource={rows}
        pagination={rows.length > 200 ? { pageSize: 200, showSizeChanger: false } : false}
        columns={[
          {
            key: "name",
            title: t("common:field.name"),
            render: (_, { draft, depth }) => (
              <span className={styles.name} style={{ paddingLeft: depth * 24 }}>
                <i style={{ background: draft.colour ?? undefined }} aria-hidden="true" />
                {draft.name}
              </span>
            ),
          },
          { key: "shortcut", title: t("labels.shortcut"), render: (_, { draft }) => (draft.shortcut ? <kbd className={styles.key}>{draft.shortcut}</kbd> : none) },
          { key: "attributes", title: t("labels.attributes"), render: (_, { draft }) => draft.attributes.map((attribute) => attribute.name).join(", ") || none },
          { key: "skeleton", title: t("labels.skeleton"), render: (_, { draft }) => (draft.skeleton ? t("items.points", { count: draft.skeleton.points.length }) : none) },
          ...(isCounted ? [{ key: "used", title: t("labels.used"), align: "right" as const, render: (_: unknown, { draft }: DraftRow) => format.number(draft.annotations ?? 0) }] : []),
          ...(changes ? [{ key: "actions", title: <span className="tm-hidden">{t("common:list.actions")}</span>, align: "right" as const, render: (_: unknown, row: DraftRow) => <RowButtons row={row} drafts={drafts} changes={changes} onOpen={onOpen} /> }] : []),
        ]}
      />
    </TableBox>
  );
}

function RowButtons({ row: { draft, depth }, drafts, changes, onOpen }: { row: DraftRow; drafts: LabelDraft[]; changes: LabelChanges; onOpen: (dialog: Dialog) => void }) {
  const { t } = useTranslation(["datasets", "common"]);
  const notify = useNotify();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  const move = (by: 1 | -1) => {
    const place = placeAfterMove(drafts, draft, by);
    if (place !== null) void run(() => changes.move(draft, place));
  };
  const used = draft.annotations ?? 0;
  const hasChildren = drafts.some((other) => other.parent === draft.name && draft.parent === null);
  const kept = used > 0 ? t("labels.inUse", { count: used }) : hasChildren ? t("labels.hasChildren") : null;
  const name = draft.name;
  return (
    <span className={styles.buttons}>
      {depth === 0 && <IconButton size="small" icon={<PlusOutlined aria-hidden />} label={t("labels.addUnder", { name })} onClick={() => onOpen({ kind: "one", label: null, under: name })} />}
      <IconButton size="small" disabled={isBusy || placeAfterMove(drafts, draft, -1) === null} icon={<ArrowUpOutlined aria-hidden />} label={t("labels.up", { name })} onClick={() => move(-1)} />
      <IconButton size="small" disabled={isBusy || placeAfterMove(drafts, draft, 1) === null} icon={<ArrowDownOutlined aria-hidden />} label={t("labels.down", { name })} onClick={() => move(1)} />
      <IconButton size="small" icon={<EditOutlined aria-hidden />} label={t("labels.edit", { name })} onClick={() => onOpen({ kind: "one", label: draft })} />
      <IconButton size="small" danger disabled={isBusy || kept !== null} icon={<DeleteOutlined aria-hidden />} label={kept ?? t("labels.delete", { name })} onClick={() => void run(() => changes.remove(draft))} />
    </span>
  );
}

/** A label with others below it stays on the first level. */
function parentsFor(drafts: LabelDraft[], label: LabelDraft | null): string[] {
  if (label && drafts.some((draft) => draft.parent === label.name && label.parent === null)) return [];
  return drafts.filter((draft) => draft.parent === null && !(label && isSame(draft, label))).map((draft) => draft.name);
}

function ManyForm({ onAdd, onClose }: { onAdd: LabelChanges["add"]; onClose: () => void }) {
  const { t } = useTranslation(["datasets", "common"]);
  const submit = ({ names }: { names: string }) => onAdd(parseNames(names).map((one) => ({ ...one, colour: null, shortcut: null, attributes: [], skeleton: null })));
  return (
    <FormModal<{ names: string }> title={t("labels.addMany")} submitText={t("labels.addManySubmit")} initialValues={{ names: "" }} onSubmit={submit} onClose={onClose}>
      <Form.Item name="names" label={t("labels.names")} required extra={t("labels.namesHint")} rules={[{ validator: (_rule, text: string | undefined) => (parseNames(text ?? "").length > 0 ? Promise.resolve() : Promise.reject(new Error(t("common:name.empty")))) }]}>
        <Input.TextArea autoFocus autoSize={{ minRows: 6, maxRows: 18 }} placeholder={t("labels.namesExample")} />
      </Form.Item>
    </FormModal>
  );
}
