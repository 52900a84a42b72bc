/** All shortcuts; a click on one changes it. */
import { Button, Modal } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACTIONS, keyName, keysOf, saveKeys } from "../actions";
import type { Action, ActionGroup, ActionId, KeyChoices } from "../actions";
import { useSession } from "../session/use-session";
import { keyText } from "./key-text";
import styles from "../Workbench.module.css";

const GROUPS: ActionGroup[] = ["items", "suggestions", "state", "tools", "edit", "view", "sound", "help"];

interface HelpDialogProps {
  keys: KeyChoices;
  onKeys: (keys: KeyChoices) => void;
  onClose: () => void;
}

export function HelpDialog({ keys, onKeys, onClose }: HelpDialogProps) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const [changing, setChanging] = useState<ActionId | null>(null);
  const actions = ACTIONS.filter((action) => action.isFor?.(session) ?? true);

  useEffect(() => {
    if (!changing) return;
    const listen = (event: KeyboardEvent) => {
      const key = keyName(event);
      if (!key) return;
      event.preventDefault();
      event.stopPropagation();
      setChanging(null);
      if (key === "escape") return;
      const next = withKey(keys, changing, key);
      saveKeys(next);
      onKeys(next);
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [changing, keys, onKeys]);

  const reset = () => {
    saveKeys({});
    onKeys({});
  };
  return (
    <Modal open width={920} title={t("help.title")} onCancel={onClose} keyboard={!changing} footer={[<Button key="reset" disabled={Object.keys(keys).length === 0} onClick={reset}>{t("help.reset")}</Button>, <Button key="close" type="primary" onClick={onClose}>{t("help.close")}</Button>]}>
      <p className={styles.hint}>{t("help.text")}</p>
      <div className={styles.help}>
        {GROUPS.filter((group) => actions.some((action) => action.group === group)).map((group) => (
          <section key={group}>
            <h3>{t(`help.group.${group}`)}</h3>
            <dl>
              {actions.filter((action) => action.group === group).map((action) => (
                <Row key={action.id} action={action} keys={keysOf(action, keys)} isChanging={changing === action.id} onChange={() => setChanging(action.id)} />
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>{t("help.group.pointer")}</h3>
          <ul className={styles.pointerHelp}>
            {(["labelKeys", "pan", "zoom", "vertex", "hole", "part", "copyDrag", "square", "noSnap", "smart"] as const).map((key) => (
              <li key={key}>{t(`help.pointer.${key}`)}</li>
            ))}
          </ul>
        </section>
      </div>
    </Modal>
  );
}

function Row({ action, keys, isChanging, onChange }: { action: Action; keys: string[]; isChanging: boolean; onChange: () => void }) {
  const { t } = useTranslation("annotate");
  const name = t(`action.${action.id}` as "action.undo");
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Button size="small" type="text" aria-label={t("help.change", { name })} onClick={onChange}>
          {isChanging ? t("help.press") : keys.map((key) => <kbd key={key}>{keyText(key)}</kbd>)}
        </Button>
      </dd>
    </div>
  );
}

/** The key goes to this action; whoever had it loses it. */
export function withKey(keys: KeyChoices, id: ActionId, key: string): KeyChoices {
  const next: KeyChoices = { ...keys, [id]: [key] };
  for (const action of ACTIONS) {
    if (action.id === id) continue;
    const own = keysOf(action, next);
    if (own.includes(key)) next[action.id] = own.filter((one) => one !== key);
  }
  return next;
}
