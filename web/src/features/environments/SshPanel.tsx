/** How to reach an environment by SSH: the command, the password, keys, editors. */
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { CommandLine } from "@/ui/CommandLine";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import { PasswordForm } from "./EnvironmentForms";
import { PasswordShown } from "./PasswordShown";
import { sshConfig, tunnelCommand } from "./ssh-config";
import type { EnvironmentView } from "./types";
import styles from "./Environments.module.css";

export function SshPanel({ project, environment }: { project: string; environment: EnvironmentView }) {
  const { t } = useTranslation("environments");
  const canWrite = useProjectPermission(project, "environment.write");
  const [isResetting, setResetting] = useState(false);
  const [password, setPassword] = useState<string | null>(null);
  const { ssh } = environment;
  if (!ssh.is_enabled) return <EmptyState title={t("ssh.off")} text={t("ssh.offText")} />;
  return (
    <>
      <Panel title={t("ssh.title")}>
        <div className={styles.steps}>
          {environment.state !== "running" && <p className="tm-muted">{t("ssh.notRunning")}</p>}
          <CommandLine label={t("ssh.command")} text={ssh.command} />
          <CommandLine label={t("ssh.forward")} text={tunnelCommand(ssh, 6006)} />
        </div>
      </Panel>
      <Panel
        title={t("ssh.password")}
        actions={
          canWrite && (
            <Button size="small" onClick={() => setResetting(true)}>
              {t("ssh.reset")}
            </Button>
          )
        }
      >
        <p>{t("ssh.passwordText")}</p>
      </Panel>
      <Panel title={t("ssh.keys")} actions={<Link to="/account?tab=ssh-keys">{t("ssh.manageKeys")}</Link>}>
        <p>{t("ssh.keysText")}</p>
      </Panel>
      <Panel title={t("ssh.vscode")}>
        <p>{t("ssh.vscodeText")}</p>
        <CommandLine text={sshConfig(environment)} />
      </Panel>
      {isResetting && (
        <PasswordForm
          project={project}
          environment={environment}
          onClose={() => setResetting(false)}
          onSet={(changed, wasGenerated) => setPassword((wasGenerated && changed.ssh.password) || null)}
        />
      )}
      {password && <PasswordShown environment={environment} password={password} onClose={() => setPassword(null)} />}
    </>
  );
}
