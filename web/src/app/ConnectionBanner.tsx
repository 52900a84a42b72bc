import { Alert } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import { useConnectionState } from "@/api/connection";

const TRY_EVERY_MS = 3_000;

/** Tells when the server does not answer, and refreshes the page's data as soon as it does again. */
export function ConnectionBanner() {
  const { t } = useTranslation("shell");
  const state = useConnectionState();
  const client = useQueryClient();

  useEffect(() => {
    if (state !== "away") return;
    const timer = window.setInterval(() => {
      unwrap(api.GET("/api/v1/meta")).then(
        () => client.invalidateQueries(),
        () => undefined, // still away; the banner stays and the next try follows
      );
    }, TRY_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [state, client]);

  if (state === "fine") return null;
  return <Alert banner showIcon type="warning" title={state === "away" ? t("connection.away") : t("connection.slow")} />;
}
