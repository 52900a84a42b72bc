import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Alert, Button, Modal, Tag } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { MeView, TokenCreated, TokenView } from "@/api/types";
import { useNow } from "@/lib/tick";
import { useConfirm } from "@/ui/confirm";
import { CopyText } from "@/ui/CopyText";
import { ListPage } from "@/ui/list/ListPage";
import type { ListColumn } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { RelativeTime } from "@/ui/RelativeTime";
import { TokenForm } from "./TokenForm";
import styles from "./Account.module.css";

const tokensKey = ["me", "tokens"] as const;

export function TokensPanel({ me }: { me: MeView }) {
  const { t } = useTranslation("account");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<TokenCreated | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: tokensKey });

  const revoke = (token: TokenView) =>
    confirm({
      title: t("tokens.revokeTitle", { name: token.name }),
      text: t("tokens.revokeText"),
      okText: t("tokens.revoke"),
      onConfirm: async () => {
        await unwrap(api.DELETE("/api/v1/me/tokens/{token}", { params: { path: { token: token.id } } }));
        await refresh();
        notify.done(t("tokens.revoked", { name: token.name }));
      },
    });
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t("tokens.create")}
    </Button>
  );
  return (
    <>
      <ListPage<TokenView>
        listKey="tokens"
        queryKey={tokensKey}
        load={({ limit, cursor }) => unwrap(api.GET("/api/v1/me/tokens", { params: { query: { limit, cursor } } }))}
        columns={useColumns()}
        keyOf={(token) => token.id}
        nameOf={(token) => token.name}
        primaryAction={create}
        isSearchable={false}
        rowActions={(token) => [{ key: "revoke", label: t("tokens.revoke"), icon: <DeleteOutlined aria-hidden />, isDanger: true, onClick: () => revoke(token) }]}
        empty={{ title: t("tokens.empty"), text: t("tokens.emptyText"), action: create }}
      />
      {isCreating && (
        <TokenForm
          me={me}
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreated(token);
            void refresh();
          }}
        />
      )}
      {created && <TokenShown token={created} onClose={() => setCreated(null)} />}
    </>
  );
}

/** The only moment a token can be read. */
function TokenShown({ token, onClose }: { token: TokenCreated; onClose: () => void }) {
  const { t } = useTranslation("account");
  return (
    <Modal
      open
      title={t("tokens.shownTitle", { name: token.name })}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("tokens.shownDone")}
        </Button>
      }
    >
      <Alert type="warning" showIcon title={t("tokens.shownOnce")} />
      <div className={styles.token}>
        <CopyText text={token.token} label={t("tokens.copy")} />
      </div>
      <p className="tm-muted">{t("tokens.use")}</p>
      <div className={styles.token}>
        <CopyText text={`export TIDEMILL_URL=${window.location.origin} TIDEMILL_TOKEN=${token.token}`} label={t("tokens.copyCommand")} />
      </div>
    </Modal>
  );
}

function useColumns(): ListColumn<TokenView>[] {
  const { t } = useTranslation(["account", "common"]);
  const now = useNow();
  return [
    { key: "name", title: t("common:field.name"), render: (token) => token.name },
    { key: "scopes", title: t("tokens.scopes"), render: (token) => (token.scopes.length === 0 ? t("tokens.everything") : token.scopes.map((scope) => <Tag key={scope}>{scope}</Tag>)) },
    { key: "project", title: t("tokens.project"), render: (token) => token.project ?? t("tokens.allProjects") },
    {
      key: "expires",
      title: t("tokens.expires"),
      render: (token) => {
        if (!token.expires_at) return t("tokens.never");
        return new Date(token.expires_at).getTime() < now ? <Tag color="error">{t("tokens.expired")}</Tag> : <RelativeTime at={token.expires_at} />;
      },
    },
    { key: "used", title: t("tokens.lastUsed"), render: (token) => <RelativeTime at={token.last_used_at} /> },
    { key: "created", title: t("common:field.createdAt"), render: (token) => <RelativeTime at={token.created_at} /> },
  ];
}
