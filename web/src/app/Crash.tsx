import { Button, Space } from "antd";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { isRouteErrorResponse, useNavigate, useRouteError } from "react-router";
import { EmptyState } from "@/ui/EmptyState";
import { NotFound } from "@/ui/NotFound";

/** A page that broke: the rest of the application stays usable. */
export function Crash() {
  const { t } = useTranslation("shell");
  const error = useRouteError();
  const navigate = useNavigate();
  const isOutdated = isMissingChunk(error);

  // After an upgrade of the server the old page's files are gone; a reload fetches the new ones.
  useEffect(() => {
    if (isOutdated) window.location.reload();
  }, [isOutdated]);

  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  return (
    <EmptyState
      picture="search"
      title={t("crash.title")}
      text={t("crash.text", { message: error instanceof Error ? error.message : String(error) })}
      action={
        <Space>
          <Button type="primary" onClick={() => window.location.reload()}>
            {t("crash.reload")}
          </Button>
          <Button onClick={() => navigate("/")}>{t("crash.home")}</Button>
        </Space>
      }
    />
  );
}

const RELOADED = "tidemill.reloaded-at";
const RELOAD_PAUSE_MS = 30_000;

function isMissingChunk(error: unknown): boolean {
  if (!(error instanceof TypeError) || !/import|module script/i.test(error.message)) return false;
  // Once is enough: if the file is still missing after a reload, showing the error is more useful than a loop.
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_PAUSE_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  return true;
}
