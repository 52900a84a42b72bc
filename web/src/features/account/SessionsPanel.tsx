import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { api, unwrap } from "@/api/client";
import type { SessionView } from "@/api/types";
import { useSignOut } from "@/features/session/me";
import { useConfirm } from "@/ui/confirm";
import { SessionTable } from "./SessionTable";

export function SessionsPanel() {
  const { t } = useTranslation("account");
  const client = useQueryClient();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const query = useQuery({ queryKey: ["me", "sessions"], queryFn: () => unwrap(api.GET("/api/v1/me/sessions")) });

  const end = async (session: SessionView) => {
    if (session.current) {
      await signOut();
      navigate("/sign-in");
      return;
    }
    await unwrap(api.DELETE("/api/v1/me/sessions/{session_id}", { params: { path: { session_id: session.id } } }));
    await client.invalidateQueries({ queryKey: ["me", "sessions"] });
  };
  const ask = (session: SessionView) =>
    confirm({
      title: session.current ? t("sessions.endCurrentTitle") : t("sessions.endTitle"),
      text: session.current ? undefined : t("sessions.endText"),
      okText: session.current ? t("sessions.endCurrent") : t("sessions.end"),
      onConfirm: () => end(session),
    });
  return <SessionTable query={query} onEnd={ask} />;
}
