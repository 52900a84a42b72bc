import { Button, Modal } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { sessionGate } from "@/api/session-gate";
import { meQuery, useMe } from "./me";
import { SignInForm } from "./SignInForm";

/** Asks for the password over the page when the session has ended; what was typed below stays, and what failed is sent again. */
export function SessionExpired() {
  const { t } = useTranslation("session");
  const me = useMe();
  const client = useQueryClient();
  const isAsking = useSyncExternalStore(sessionGate.subscribe, sessionGate.isAsking);
  if (!isAsking) return null;
  return (
    <Modal open title={t("expired.title")} footer={null} closable={false} keyboard={false} mask={{ closable: false }} width={420} zIndex={3000}>
      <p style={{ marginBottom: 16 }}>{t("expired.text", { name: me.name })}</p>
      <SignInForm fixedUser={me.name} onSignedIn={(renewed) => client.setQueryData(meQuery.queryKey, renewed)} />
      <Button type="link" block style={{ marginTop: 8 }} onClick={() => window.location.assign("/sign-in")}>
        {t("expired.other")}
      </Button>
    </Modal>
  );
}
