import { DeleteOutlined, EditOutlined, KeyOutlined } from "@ant-design/icons";
import { Alert, Button, Form, InputNumber, Modal, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { useFormat } from "@/lib/format";
import { useConfirm } from "@/ui/confirm";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import { NameField } from "@/ui/form/fields";
import { FormModal } from "@/ui/form/FormModal";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { createKey, deleteKey, listKeys, updateKey } from "./api";
import type { ServiceRef } from "./api";
import { serviceKey, useRefreshServices } from "./queries";
import type { KeyCreated, KeyView, ServiceView } from "./types";
import styles from "./Services.module.css";

export function KeysTab({ of, service }: { of: ServiceRef; service: ServiceView }) {
  const { t } = useTranslation(["services", "common"]);
  const canWrite = useProjectPermission(of.project, "service.write");
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshServices(of.project);
  const [edited, setEdited] = useState<KeyView | "new" | null>(null);
  const [created, setCreated] = useState<KeyCreated | null>(null);
  const refusal = canWrite ? undefined : t("notAllowed");
  const remove = (key: KeyView) =>
    confirm({
      title: t("keys.deleteTitle", { name: key.name }),
      text: t("keys.deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteKey(of, key.id);
        await refresh();
        notify.done(t("keys.deleted", { name: key.name }));
      },
    });
  const create = (
    <Tooltip title={refusal}>
      <Button type="primary" icon={<KeyOutlined aria-hidden />} disabled={refusal !== undefined} onClick={() => setEdited("new")}>
        {t("keys.create")}
      </Button>
    </Tooltip>
  );
  return (
    <>
      {service.access === "open" && <Alert className={styles.banner} type="info" showIcon title={t("keys.open")} />}
      <ListPage<KeyView>
        listKey="service-keys"
        queryKey={[...serviceKey(of), "keys"]}
        load={(query) => listKeys(of, query)}
        columns={useColumns()}
        keyOf={(key) => key.id}
        nameOf={(key) => key.name}
        isSearchable={false}
        primaryAction={create}
        rowActions={(key) => [
          { key: "edit", label: t("common:action.edit"), icon: <EditOutlined aria-hidden />, disabledReason: refusal, onClick: () => setEdited(key) },
          { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: refusal, onClick: () => remove(key) },
        ]}
        empty={{ title: t("keys.none"), text: t("keys.noneText"), action: create }}
      />
      {edited !== null && (
        <KeyForm
          of={of}
          edited={edited === "new" ? null : edited}
          onSaved={(key) => {
            if (key) setCreated(key);
            void refresh();
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {created && <KeyShown created={created} url={service.url} onClose={() => setCreated(null)} />}
    </>
  );
}

interface KeyValues {
  name: string;
  rate_per_s: number | null;
}

function KeyForm({ of, edited, onSaved, onClose }: { of: ServiceRef; edited: KeyView | null; onSaved: (key: KeyCreated | null) => void; onClose: () => void }) {
  const { t } = useTranslation(["services", "common"]);
  return (
    <FormModal<KeyValues>
      title={edited ? t("keys.editTitle", { name: edited.name }) : t("keys.create")}
      submitText={edited ? t("common:action.save") : t("keys.create")}
      initialValues={{ name: edited?.name ?? "", rate_per_s: edited?.rate_per_s ?? null }}
      onSubmit={async ({ name, rate_per_s: rate }) => {
        const body = { name: name.trim(), rate_per_s: rate ?? null };
        onSaved(edited ? (await updateKey(of, edited.id, body), null) : await createKey(of, body));
      }}
      onClose={onClose}
    >
      <NameField hint={t("keys.nameHint")} />
      <Form.Item name="rate_per_s" label={t("field.rate")} extra={t("keys.rateHint")}>
        <InputNumber min={0.001} max={1_000_000} style={{ width: "100%" }} placeholder={t("noLimit")} suffix={t("unit.perS")} />
      </Form.Item>
    </FormModal>
  );
}

/** The only moment a key can be read. */
function KeyShown({ created, url, onClose }: { created: KeyCreated; url: string; onClose: () => void }) {
  const { t } = useTranslation("services");
  return (
    <Modal
      open
      title={t("keys.shownTitle", { name: created.name })}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("keys.shownDone")}
        </Button>
      }
    >
      <Alert type="warning" showIcon title={t("keys.shownOnce")} />
      <div className={styles.key}>
        <CopyText text={created.key} label={t("keys.copy")} />
      </div>
      <CommandLine label={t("keys.use")} text={`curl -H "Authorization: Bearer ${created.key}" ${url}/v2/health/ready`} />
    </Modal>
  );
}

function useColumns(): ListColumn<KeyView>[] {
  const { t } = useTranslation(["services", "common"]);
  const format = useFormat();
  return [
    { key: "name", title: t("common:field.name"), render: (key) => key.name },
    { key: "prefix", title: t("keys.prefix"), render: (key) => <code>{`${key.prefix}…`}</code> },
    { key: "rate", title: t("field.rate"), render: (key) => (key.rate_per_s === null ? <span className="tm-muted">{t("noLimit")}</span> : t("perSecond", { rate: format.compact(key.rate_per_s) })) },
    { key: "used", title: t("keys.lastUsed"), render: (key) => (key.last_used_on ? format.date(key.last_used_on) : <span className="tm-muted">–</span>) },
    { key: "by", title: t("common:field.createdBy"), render: (key) => key.created_by },
    { key: "created", title: t("common:field.createdAt"), render: (key) => <RelativeTime at={key.created_at} /> },
  ];
}
