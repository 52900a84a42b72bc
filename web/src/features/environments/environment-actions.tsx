/** What can be done with a dev environment, the same in lists and on its page. */
import { ApiOutlined, CaretRightOutlined, CodeOutlined, CopyOutlined, DeleteOutlined, EditOutlined, LineChartOutlined, ReadOutlined, SaveOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { canStop, isEnded } from "@/features/workloads/states";
import { useStopAction } from "@/features/workloads/StopButton";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { deleteEnvironment, startEnvironment, stopEnvironment } from "./api";
import { CopyForm, PortForm, SaveImageForm, SettingsForm } from "./EnvironmentForms";
import { useOpenApp } from "./open-app";
import { PasswordShown } from "./PasswordShown";
import { environmentPath, environmentQuery, environmentsKey } from "./queries";
import type { EnvironmentView } from "./types";

type DialogKey = "copy" | "save" | "port" | "settings";

export interface EnvironmentActions {
  /** What is done most: opening it, or starting it. */
  main: (environment: EnvironmentView) => RowAction;
  rest: (environment: EnvironmentView) => RowAction[];
  dialog: ReactNode;
}

export function useEnvironmentActions(project: string, onDeleted?: () => void): EnvironmentActions {
  const { t } = useTranslation(["environments", "common"]);
  const canWrite = useProjectPermission(project, "environment.write");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const openApp = useOpenApp(project);
  const navigate = useNavigate();
  const [copied, setCopied] = useState<EnvironmentView | null>(null);
  const [open, setOpen] = useState<{ dialog: DialogKey; environment: EnvironmentView } | null>(null);

  const taken = async (environment: EnvironmentView) => {
    client.setQueryData(environmentQuery(project, environment.name).queryKey, environment);
    await client.invalidateQueries({ queryKey: environmentsKey(project) });
  };
  const start = async (environment: EnvironmentView) => {
    try {
      await taken(await startEnvironment(project, environment.id));
      notify.done(t("started", { name: environment.name }));
    } catch (error) {
      notify.failed(error);
    }
  };
  const stopOf = useStopAction({ project, text: t("stop.text"), permission: "environment.write" });
  const remove = (environment: EnvironmentView) =>
    confirm({
      title: t("delete.title", { name: environment.name }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      typeName: environment.name,
      onConfirm: async () => {
        await deleteEnvironment(project, environment.id, environment.name);
        onDeleted?.();
        await client.invalidateQueries({ queryKey: environmentsKey(project) });
        notify.done(t("delete.done", { name: environment.name }));
      },
    });
  const notAllowed = canWrite ? undefined : t("refused.permission");
  const unlessRunning = ({ state }: EnvironmentView) => notAllowed ?? (state === "running" ? undefined : t("refused.notRunning"));

  const jupyter = (environment: EnvironmentView): RowAction => ({
    key: "jupyter",
    label: t("action.jupyter"),
    icon: <ReadOutlined aria-hidden />,
    disabledReason: unlessRunning(environment) ?? (environment.has_jupyter === false ? t("refused.noJupyter") : undefined),
    onClick: () => void openApp(environment.id, "jupyter"),
  });
  const terminal = (environment: EnvironmentView): RowAction => ({
    key: "terminal",
    label: t("action.terminal"),
    icon: <CodeOutlined aria-hidden />,
    disabledReason: unlessRunning(environment),
    onClick: () => void navigate(`${environmentPath(project, environment)}?tab=terminal`),
  });
  const main = (environment: EnvironmentView): RowAction => {
    if (isEnded(environment.state)) return { key: "start", label: t("action.start"), icon: <CaretRightOutlined aria-hidden />, disabledReason: notAllowed, onClick: () => void start(environment) };
    return lacksJupyter(environment) ? terminal(environment) : jupyter(environment);
  };

  const rest = (environment: EnvironmentView): RowAction[] => {
    const ask = (dialog: DialogKey) => () => setOpen({ dialog, environment });
    return [
      lacksJupyter(environment) ? jupyter(environment) : terminal(environment),
      { key: "tensorboard", label: t("action.tensorboard"), icon: <LineChartOutlined aria-hidden />, disabledReason: unlessRunning(environment), onClick: () => void openApp(environment.id, "tensorboard") },
      { key: "port", label: t("action.port"), icon: <ApiOutlined aria-hidden />, disabledReason: unlessRunning(environment), onClick: ask("port") },
      { key: "save", label: t("action.saveImage"), icon: <SaveOutlined aria-hidden />, disabledReason: unlessRunning(environment), onClick: ask("save") },
      { key: "settings", label: t("settings.edit"), icon: <EditOutlined aria-hidden />, disabledReason: notAllowed, onClick: ask("settings") },
      { key: "copy", label: t("action.copy"), icon: <CopyOutlined aria-hidden />, disabledReason: notAllowed, onClick: ask("copy") },
      ...(canStop(environment.state) ? [stopOf({ ...environment, stop: async () => taken(await stopEnvironment(project, environment.id)) })] : []),
      {
        key: "delete",
        label: t("action.delete"),
        icon: <DeleteOutlined aria-hidden />,
        isDanger: true,
        disabledReason: notAllowed,
        onClick: () => remove(environment),
      },
    ];
  };
  const show = (environment: EnvironmentView) => void navigate(environmentPath(project, environment));
  const dialog = (
    <>
      {open && (
        <Dialog
          project={project}
          {...open}
          onClose={() => setOpen(null)}
          onChanged={taken}
          onMade={(copy) => (copy.ssh.password ? setCopied(copy) : show(copy))}
          onPort={(port) => void openApp(open.environment.id, "port", port)}
        />
      )}
      {copied?.ssh.password && (
        <PasswordShown
          environment={copied}
          password={copied.ssh.password}
          onClose={() => {
            setCopied(null);
            show(copied);
          }}
        />
      )}
    </>
  );
  return { main, rest, dialog };
}

/** The image has none; the terminal is then the way in. */
function lacksJupyter({ state, has_jupyter: hasJupyter }: EnvironmentView): boolean {
  return state === "running" && hasJupyter === false;
}

interface DialogProps {
  project: string;
  dialog: DialogKey;
  environment: EnvironmentView;
  onClose: () => void;
  onChanged: (environment: EnvironmentView) => Promise<void>;
  onMade: (copy: EnvironmentView) => void;
  onPort: (port: number) => void;
}

function Dialog({ dialog, onPort, onChanged, onMade, ...common }: DialogProps) {
  switch (dialog) {
    case "copy":
      return <CopyForm {...common} onMade={onMade} />;
    case "save":
      return <SaveImageForm {...common} />;
    case "port":
      return <PortForm onPort={onPort} onClose={common.onClose} />;
    case "settings":
      return <SettingsForm {...common} onChanged={onChanged} />;
  }
}
