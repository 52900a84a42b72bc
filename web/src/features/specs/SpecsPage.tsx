import { DeleteOutlined, EditOutlined, PlusOutlined, PoweroffOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { useConfirm } from "@/ui/confirm";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn, RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { StateBadge } from "@/ui/StateBadge";
import { deleteSpec, listSpecs, specsKey, updateSpec } from "./api";
import { fabricName } from "./spec-text";
import { SpecForm } from "./SpecForm";
import type { SpecView } from "./types";

export default function SpecsPage() {
  const { t } = useTranslation(["specs", "common"]);
  const [edited, setEdited] = useState<SpecView | "new" | null>(null);
  const actionsOf = useSpecActions(setEdited);
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEdited("new")}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <ListPage<SpecView>
        listKey="specs"
        queryKey={specsKey}
        load={({ q, sort, limit, cursor }) => listSpecs({ q, sort, limit, cursor })}
        title={t("title")}
        description={t("intro")}
        columns={useColumns()}
        keyOf={(spec) => spec.name}
        nameOf={(spec) => spec.name}
        primaryAction={create}
        rowActions={actionsOf}
        empty={{ title: t("empty"), text: t("emptyText"), action: create }}
      />
      {edited && <SpecForm spec={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function useColumns(): ListColumn<SpecView>[] {
  const { t } = useTranslation(["specs", "common"]);
  const format = useFormat();
  const none = <span className="tm-muted">–</span>;
  return [
    { key: "name", title: t("common:field.name"), sort: "name", render: (spec) => spec.name },
    { key: "state", title: t("state.label"), render: (spec) => <SpecState spec={spec} /> },
    { key: "cpus", title: t("cpus"), align: "right", render: (spec) => format.decimal(spec.cpus, 2) },
    { key: "memory", title: t("memory"), align: "right", render: (spec) => format.bytes(spec.memory_bytes) },
    {
      key: "accelerator",
      title: t("accelerator"),
      render: (spec) => (spec.accelerator ? t("text.accelerators", { amount: format.decimal(spec.accelerators, 2), kind: spec.accelerator }) : none),
    },
    { key: "fabrics", title: t("fabrics"), render: (spec) => (spec.fabrics.length > 0 ? spec.fabrics.map(fabricName).join(", ") : none) },
    { key: "description", title: t("common:field.description"), render: (spec) => spec.description || none },
  ];
}

function SpecState({ spec }: { spec: SpecView }) {
  const { t } = useTranslation("specs");
  if (!spec.is_enabled) return <StateBadge tone="stopped" text={t("state.off")} />;
  if (spec.fits) return <StateBadge tone="completed" text={t("state.on")} />;
  return (
    <Tooltip title={t("fitsNotHint")}>
      <StateBadge tone="stopping" text={t("state.fitsNot")} />
    </Tooltip>
  );
}

function useSpecActions(onEdit: (spec: SpecView) => void): (spec: SpecView) => RowAction[] {
  const { t } = useTranslation(["specs", "common"]);
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const changed = async (text: string) => {
    await client.invalidateQueries({ queryKey: specsKey });
    notify.done(text);
  };
  return (spec) => [
    { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, onClick: () => onEdit(spec) },
    {
      key: "switch",
      label: spec.is_enabled ? t("disable") : t("enable"),
      icon: <PoweroffOutlined aria-hidden />,
      onClick: () => void updateSpec(spec.name, { is_enabled: !spec.is_enabled }).then(() => changed(t("common:saved")), notify.failed),
    },
    {
      key: "delete",
      label: t("common:action.delete"),
      icon: <DeleteOutlined aria-hidden />,
      isDanger: true,
      onClick: () =>
        confirm({
          title: t("deleteTitle", { name: spec.name }),
          text: t("deleteText"),
          okText: t("common:action.delete"),
          onConfirm: async () => {
            await deleteSpec(spec.name);
            await changed(t("deleted", { name: spec.name }));
          },
        }),
    },
  ];
}
