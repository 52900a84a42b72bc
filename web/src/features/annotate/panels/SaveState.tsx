import { CheckCircleOutlined, CloudSyncOutlined, DisconnectOutlined, ExclamationCircleOutlined, WarningOutlined } from "@ant-design/icons";
import { Button, Popover } from "antd";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import type { OutboxStatus } from "../journal/outbox";
import { useOutboxStatus, useSession } from "../session/use-session";
import styles from "../Workbench.module.css";

type Kind = "saved" | "saving" | "offline" | "choose" | "refused" | "unprotected";

function kindOf(status: OutboxStatus): Kind {
  if (status.clashes.length > 0) return "choose";
  if (status.refused.length > 0) return "refused";
  if (status.waiting === 0) return "saved";
  if (!status.isProtected) return "unprotected";
  return status.isAway || !navigator.onLine ? "offline" : "saving";
}

const ICONS: Record<Kind, React.ReactNode> = {
  saved: <CheckCircleOutlined aria-hidden />,
  saving: <CloudSyncOutlined aria-hidden />,
  offline: <DisconnectOutlined aria-hidden />,
  choose: <WarningOutlined aria-hidden />,
  refused: <ExclamationCircleOutlined aria-hidden />,
  unprotected: <WarningOutlined aria-hidden />,
};

/** Whether everything is stored, always in sight; a click says more and offers what can be done. */
export function SaveState() {
  const { t } = useTranslation("annotate");
  const status = useOutboxStatus();
  const kind = kindOf(status);
  const count = { saved: 0, saving: status.waiting, offline: status.waiting, choose: status.clashes.length, refused: status.refused.length, unprotected: status.waiting }[kind];
  return (
    <Popover trigger="click" placement="bottomRight" content={<Explanation kind={kind} status={status} />}>
      <Button size="small" type="text" className={styles.saveState} data-kind={kind} icon={ICONS[kind]}>
        <span role="status" aria-live="polite" data-testid="save-state" data-kind={kind}>
          {t(`save.${kind}`, { count })}
        </span>
      </Button>
    </Popover>
  );
}

function Explanation({ kind, status }: { kind: Kind; status: OutboxStatus }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const download = (seq: number) => {
    const record = session.outbox.find(seq);
    if (record) downloadText(JSON.stringify(record.latest.annotations, null, 2), `item-${seq}.json`);
  };
  return (
    <div className={styles.explanation}>
      <p>{t(`save.${kind}Text`)}</p>
      {status.clashes.map((seq) => (
        <Button key={seq} size="small" onClick={() => void session.open(seq)}>
          {t("save.openItem", { number: seq })}
        </Button>
      ))}
      {status.refused.map(({ seq, message }) => (
        <div key={seq}>
          <p>
            {t("save.item", { number: seq })}: {message}
          </p>
          <Button size="small" onClick={() => session.outbox.retry(seq)}>
            {t("save.retry")}
          </Button>
          <Button size="small" onClick={() => download(seq)}>
            {t("save.download")}
          </Button>
          <Button size="small" danger onClick={() => void session.giveUp(seq)}>
            {t("save.discard")}
          </Button>
        </div>
      ))}
    </div>
  );
}
