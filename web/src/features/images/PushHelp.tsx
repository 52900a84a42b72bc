/** How to bring an image with docker or podman: sign in, name it, send it. */
import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMe } from "@/features/session/me";
import { CommandLine } from "@/ui/CommandLine";
import styles from "./Images.module.css";

export function PushHelp({ project, onClose }: { project: string; onClose: () => void }) {
  const { t } = useTranslation("images");
  return (
    <Modal open title={t("push.title")} width={640} onCancel={onClose} footer={<Button onClick={onClose}>{t("push.close")}</Button>}>
      <PushSteps project={project} />
    </Modal>
  );
}

export function PushSteps({ project, name = "my-image", version = "1.0" }: { project: string; name?: string; version?: string }) {
  const { t } = useTranslation("images");
  const me = useMe();
  const { host } = window.location;
  const target = `${host}/${project}/${name}:${version}`;
  return (
    <div className={styles.steps}>
      <p>{t("push.token")}</p>
      <Link to="/account?tab=tokens">{t("push.makeToken")}</Link>
      <CommandLine label={t("push.login")} text={`docker login ${host} -u ${me.name}`} />
      <CommandLine label={t("push.tag")} text={`docker tag ${name}:${version} ${target}`} />
      <CommandLine label={t("push.send")} text={`docker push ${target}`} />
    </div>
  );
}
