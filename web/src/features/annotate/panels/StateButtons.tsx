import { CheckOutlined, MinusOutlined, ReloadOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import type { ActionId } from "../actions";
import { useSession, useSessionState } from "../session/use-session";
import { StateMark } from "./StateMark";
import styles from "../Workbench.module.css";

/** The open item's name and state, and what can be made of it. */
export function StateButtons({ run }: { run: (id: ActionId) => void }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const doc = useSessionState((state) => state.doc);
  if (!doc) return null;
  const { item, state } = doc;
  const button = (id: "done" | "aside" | "rework", icon: React.ReactNode, isPrimary = false) => (
    <Tooltip title={t(`action.${id}`)}>
      <Button size="small" type={isPrimary ? "primary" : "default"} icon={icon} disabled={session.isReadOnly} onClick={() => run(id)}>
        {t(`mark.${id}`)}
      </Button>
    </Tooltip>
  );
  return (
    <section className={styles.stateButtons} aria-label={t("thisItem")}>
      <p className={styles.itemName} title={item.path}>
        <StateMark state={state} />
        <span>{t(`state.${state}`)}</span>
        <span className={styles.path}>{item.path}</span>
      </p>
      {!session.version.can_annotate && <p className={styles.none}>{t("readOnly")}</p>}
      <div className={styles.marks}>
        {button("done", <CheckOutlined aria-hidden />, state !== "suggested")}
        {button("rework", <ReloadOutlined aria-hidden />)}
        {button("aside", <MinusOutlined aria-hidden />)}
      </div>
    </section>
  );
}
