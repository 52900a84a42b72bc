/** What can be done with a service as a whole: only what its state allows, and what is refused says why. */
import { CaretRightOutlined, DeleteOutlined, PoweroffOutlined, ReloadOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteService, restartService, startService, stopService } from "./api";
import { servicesPath, useRefreshServices } from "./queries";
import type { ServiceView } from "./types";

export function useServiceActions(project: string): (service: ServiceView) => RowAction[] {
  const { t } = useTranslation(["services", "common"]);
  const canWrite = useProjectPermission(project, "service.write");
  const navigate = useNavigate();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshServices(project);
  const refusal = canWrite ? undefined : t("notAllowed");
  const done = async (text: string) => {
    await refresh();
    notify.done(text);
  };
  return (service) => {
    const ref = { project, service: service.id };
    const { name } = service;
    const start = async () => {
      try {
        await startService(ref);
        await done(t("start.done", { name }));
      } catch (error) {
        notify.failed(error);
      }
    };
    const ask = (key: "stop" | "restart", call: () => Promise<unknown>) =>
      confirm({
        title: t(`${key}.title`, { name }),
        text: t(`${key}.text`),
        okText: t(`${key}.action`),
        isDanger: key === "stop",
        onConfirm: async () => {
          await call();
          await done(t(`${key}.done`, { name }));
        },
      });
    const remove = () =>
      confirm({
        title: t("delete.title", { name }),
        text: t("delete.text"),
        okText: t("common:action.delete"),
        typeName: name,
        onConfirm: async () => {
          await deleteService(ref, name);
          await navigate(servicesPath(project), { flushSync: true });
          await done(t("delete.done", { name }));
        },
      });
    return [
      service.is_stopped
        ? { key: "start", label: t("start.action"), icon: <CaretRightOutlined aria-hidden />, disabledReason: refusal, onClick: () => void start() }
        : { key: "stop", label: t("stop.action"), icon: <PoweroffOutlined aria-hidden />, disabledReason: refusal, onClick: () => ask("stop", () => stopService(ref)) },
      { key: "restart", label: t("restart.action"), icon: <ReloadOutlined aria-hidden />, disabledReason: refusal ?? (service.is_stopped ? t("restart.stopped") : undefined), onClick: () => ask("restart", () => restartService(ref)) },
      { key: "delete", label: t("common:action.delete"), icon: <DeleteOutlined aria-hidden />, isDanger: true, disabledReason: refusal, onClick: remove },
    ];
  };
}
