/** TensorBoard of a run: asked for until it is there, then shown in a window of its own. */
import { App } from "antd";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useNotify } from "@/ui/notify";
import { openTensorboard } from "./api";
import type { RunView } from "./types";

const ASK_MS = 1_000;
const PATIENCE_MS = 120_000;
const KEY = "tensorboard";

export function useTensorboard(project: string): (run: RunView) => Promise<void> {
  const { t } = useTranslation("training");
  const { message } = App.useApp();
  const notify = useNotify();
  return useCallback(
    async (run) => {
      // Opened at once, while the click still counts as the user's wish; browsers refuse a window that comes later.
      const view = window.open("", "_blank");
      if (view) view.opener = null;
      void message.loading({ key: KEY, content: t("tensorboard.starting"), duration: 0 });
      try {
        const url = await waitForAddress(() => openTensorboard({ project, run: run.id }));
        message.destroy(KEY);
        if (view && url) view.location.href = url;
        else view?.close();
        if (!url) void message.warning(t("tensorboard.late"));
        else if (!view) notify.doneWithLink(t("tensorboard.ready"), { label: t("tensorboard.open"), onClick: () => window.open(url, "_blank", "noopener") });
      } catch (error) {
        view?.close();
        message.destroy(KEY);
        notify.failed(error);
      }
    },
    [project, message, notify, t],
  );
}

async function waitForAddress(ask: () => ReturnType<typeof openTensorboard>): Promise<string | null> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const { state, url } = await ask();
    if (state === "open" && url) return url;
    await new Promise((resolve) => window.setTimeout(resolve, ASK_MS));
  }
  return null;
}
