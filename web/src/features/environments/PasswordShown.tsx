import { Alert, Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { CommandLine } from "@/ui/CommandLine";
import { CopyText } from "@/ui/CopyText";
import type { EnvironmentView } from "./types";
import styles from "./Environments.module.css";

/** The only moment an SSH password can be read. */
export function PasswordShown({ environment, password, onClose }: { environment: EnvironmentView; password: string; onClose: () => void }) {
  const { t } = useTranslation("environments");
  return (
    <Modal
      open
      title={t("ssh.shownTitle", { name: environment.name })}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("ssh.shownDone")}
        </Button>
      }
    >
      <Alert type="warning" showIcon title={t("ssh.shownOnce")} />
      <div className={styles.secret}>
        <CopyText text={password} label={t("ssh.copyPassword")} />
      </div>
      <CommandLine label={t("ssh.command")} text={environment.ssh.command} />
    </Modal>
  );
}
