/** Public keys that the user signs in to dev environments with. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CommandLine } from "@/ui/CommandLine";
import { useConfirm } from "@/ui/confirm";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { addSshKey, listSshKeys, removeSshKey } from "./api";
import type { SshKeyView } from "./api";
import { keyProblem } from "./public-key";

const KEY_SAMPLE = "ssh-ed25519 AAAA…";
const MAKE_COMMAND = "ssh-keygen -t ed25519";
const sshKeysKey = ["me", "ssh-keys"] as const;

export function SshKeysPanel() {
  const { t } = useTranslation("sshKeys");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [isAdding, setAdding] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: sshKeysKey });

  const remove = (key: SshKeyView) =>
    confirm({
      title: t("removeTitle", { name: key.name }),
      text: t("removeText"),
      okText: t("remove"),
      onConfirm: async () => {
        await removeSshKey(key.id);
        await refresh();
        notify.done(t("removed", { name: key.name }));
      },
    });
  const add = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <ListPage<SshKeyView>
        listKey="ssh-keys"
        queryKey={sshKeysKey}
        load={({ limit, cursor }) => listSshKeys({ limit, cursor })}
        columns={useColumns()}
        keyOf={(key) => key.id}
        nameOf={(key) => key.name}
        primaryAction={add}
        isSearchable={false}
        rowActions={(key) => [{ key: "remove", label: t("remove"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: () => remove(key) }]}
        empty={{ title: t("empty"), text: t("emptyText"), action: add }}
      />
      {isAdding && (
        <SshKeyForm
          onClose={() => setAdding(false)}
          onAdded={(key) => {
            void refresh();
            notify.done(t("added", { name: key.name }));
          }}
        />
      )}
    </>
  );
}

function useColumns(): ListColumn<SshKeyView>[] {
  const { t } = useTranslation(["sshKeys", "common"]);
  return [
    { key: "name", title: t("common:field.name"), render: (key) => key.name },
    { key: "fingerprint", title: t("fingerprint"), render: (key) => <code>{key.fingerprint}</code> },
    { key: "used", title: t("lastUsed"), render: (key) => <RelativeTime at={key.last_used_at} /> },
    { key: "created", title: t("common:field.createdAt"), render: (key) => <RelativeTime at={key.created_at} /> },
  ];
}

function SshKeyForm({ onClose, onAdded }: { onClose: () => void; onAdded: (key: SshKeyView) => void }) {
  const { t } = useTranslation("sshKeys");
  const texts = { missing: t("keyMissing"), private: t("keyPrivate"), wrong: t("keyWrong") };
  return (
    <FormModal<{ name: string; public_key: string }>
      title={t("add")}
      submitText={t("add")}
      initialValues={{ name: "", public_key: "" }}
      onSubmit={async ({ name, public_key }) => onAdded(await addSshKey({ name, public_key: public_key.trim() }))}
      onClose={onClose}
    >
      <NameField hint={t("nameHint")} />
      <Form.Item
        name="public_key"
        label={t("key")}
        extra={t("keyHint")}
        required
        rules={[
          {
            validator: (_rule, text: string) => {
              const problem = keyProblem(text);
              return problem ? Promise.reject(new Error(texts[problem])) : Promise.resolve();
            },
          },
        ]}
      >
        <Input.TextArea autoSize={{ minRows: 3, maxRows: 6 }} spellCheck={false} placeholder={KEY_SAMPLE} />
      </Form.Item>
      <CommandLine label={t("make")} text={MAKE_COMMAND} />
    </FormModal>
  );
}
