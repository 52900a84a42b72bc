/** Asks before unsaved text is left behind, inside the application and when the tab is closed. */
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router";
import { useConfirm } from "@/ui/confirm";

export function useLeaveGuard(isNeeded: boolean, name: string): void {
  const { t } = useTranslation("files");
  const confirm = useConfirm();
  const blocker = useBlocker(isNeeded);

  useEffect(() => {
    if (blocker.state !== "blocked") return;
    confirm({
      title: t("editor.leaveTitle", { name }),
      text: t("editor.leaveText"),
      okText: t("editor.leave"),
      onConfirm: () => Promise.resolve(blocker.proceed()),
      onCancel: () => blocker.reset(),
    });
  }, [blocker, confirm, name, t]);

  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isNeeded]);
}
