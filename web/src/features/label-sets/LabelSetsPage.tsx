/** Lists of labels that are used again and again. */
import { PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { parseNames } from "@/features/datasets/labels/label-draft";
import { useProjectName, useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { FormModal } from "@/ui/form/FormModal";
import { DescriptionField, NameField } from "@/ui/form/fields";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { createLabelSet, listLabelSets } from "./api";
import type { LabelSetView, SetLabel } from "./api";
import { useLabelSetActions } from "./label-set-actions";
import { readLabelFile } from "./label-file";
import { labelSetPath, labelSetsKey, useLabelSetsRefresh } from "./queries";
import styles from "./LabelSets.module.css";

export default function LabelSetsPage() {
  const { t } = useTranslation(["labelSets", "common"]);
  const project = useProjectName();
  const canWrite = useProjectPermission(project, "dataset.write");
  const [isCreating, setCreating] = useState(false);
  const { actionsOf, dialog } = useLabelSetActions(project);
  const create = canWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<LabelSetView>
        title={t("title")}
        description={t("about")}
        primaryAction={create}
        listKey="label-sets"
        queryKey={labelSetsKey(project)}
        load={(query) => listLabelSets(project, query)}
        columns={useColumns(project)}
        keyOf={(set) => set.id}
        nameOf={(set) => set.name}
        defaultSort="name"
        rowActions={canWrite ? actionsOf : undefined}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {dialog}
      {isCreating && <CreateForm project={project} onClose={() => setCreating(false)} />}
    </>
  );
}

function useColumns(project: string): ListColumn<LabelSetView>[] {
  const { t } = useTranslation(["labelSets", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (set) => <Link to={labelSetPath(project, set.name)}>{set.name}</Link> },
    { key: "count", title: t("labels"), align: "right", render: (set) => format.number(set.labels_count) },
    { key: "labels", title: t("which"), render: (set) => <Chips labels={set.labels} /> },
    { key: "description", title: t("common:field.description"), render: (set) => set.description || <span className="tm-muted">–</span> },
    { key: "by", title: t("common:field.createdBy"), render: (set) => set.created_by },
    { key: "updated", title: t("common:field.updatedAt"), sort: "updated_at", render: (set) => <RelativeTime at={set.updated_at} /> },
  ];
}

const SHOWN = 5;

function Chips({ labels }: { labels: SetLabel[] }) {
  return (
    <span className={styles.chips}>
      {labels.slice(0, SHOWN).map((label) => (
        <span key={`${label.parent ?? ""}/${label.name}`}>
          <i style={{ background: label.colour ?? undefined }} aria-hidden="true" />
          {label.name}
        </span>
      ))}
      {labels.length > SHOWN && <span className="tm-muted">+{labels.length - SHOWN}</span>}
    </span>
  );
}

interface Values {
  name: string;
  description: string;
  names: string;
}

/** Labels are typed, or come from a file; they can be edited afterwards. */
function CreateForm({ project, onClose }: { project: string; onClose: () => void }) {
  const { t } = useTranslation(["labelSets", "datasets", "common"]);
  const navigate = useNavigate();
  const refresh = useLabelSetsRefresh();
  const [imported, setImported] = useState<SetLabel[] | null>(null);
  const submit = async ({ name, description, names }: Values) => {
    const labels = imported ?? parseNames(names).map((one) => ({ ...one, attributes: [] }));
    const made = await createLabelSet(project, { name, description, labels });
    await refresh(project);
    await navigate(labelSetPath(project, made.name));
  };
  return (
    <FormModal<Values> title={t("create")} submitText={t("common:action.create")} initialValues={{ name: "", description: "", names: "" }} onSubmit={submit} onClose={onClose}>
      <NameField />
      <DescriptionField />
      {imported ? (
        <p className={styles.imported}>
          {t("imported", { count: imported.length })} <Button type="link" size="small" onClick={() => setImported(null)}>{t("importedDrop")}</Button>
        </p>
      ) : (
        <Form.Item name="names" label={t("datasets:labels.names")} extra={t("datasets:labels.namesHint")}>
          <Input.TextArea autoSize={{ minRows: 4, maxRows: 14 }} placeholder={t("datasets:labels.namesExample")} />
        </Form.Item>
      )}
      <FilePicker onRead={setImported} />
    </FormModal>
  );
}

export function FilePicker({ onRead }: { onRead: (labels: SetLabel[]) => void }) {
  const { t } = useTranslation("labelSets");
  const notify = useNotify();
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const labels = readLabelFile(await file.text());
    if (labels) onRead(labels);
    else notify.refused(t("fileWrong", { name: file.name }), [t("fileHint")]);
  };
  return (
    <>
      <input ref={input} type="file" className="tm-hidden" tabIndex={-1} accept=".json,.csv,.txt" aria-label={t("file")} onChange={(event) => void read(event.target.files?.[0])} />
      <Button onClick={() => input.current?.click()}>{t("file")}</Button>
      <p className={styles.hint}>{t("fileHint")}</p>
    </>
  );
}
