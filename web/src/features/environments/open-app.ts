/** Opens what an environment serves in a window of its own. */
import { useTranslation } from "react-i18next";
import { useNotify } from "@/ui/notify";
import { openApp } from "./api";
import type { EnvironmentApp } from "./types";

/**
 * The window is opened at once, while the click still counts, and sent to its address when the ticket is there. It is cut off
 * from this page first: what users run must not be able to steer it.
 */
export function useOpenApp(project: string): (id: string, app: EnvironmentApp, port?: number) => Promise<void> {
  const { t } = useTranslation("environments");
  const notify = useNotify();
  return async (id, app, port) => {
    const opened = window.open("", "_blank");
    if (opened) {
      opened.opener = null;
      opened.document.title = t("opening");
      opened.document.body.textContent = t("opening");
    }
    try {
      const { url } = await openApp(project, id, app, port);
      if (opened) opened.location.replace(url);
      else notify.doneWithLink(t("popup.title"), { label: t("popup.link"), onClick: () => void window.open(url, "_blank", "noopener") });
    } catch (error) {
      opened?.close();
      notify.failed(error);
    }
  };
}
