/** What a model proposed for the open item, and the two answers to it. */
import { CheckOutlined, CloseOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { ACTIONS, keysOf } from "../actions";
import type { ActionId, KeyChoices } from "../actions";
import { leastScore, suggestionsIn } from "../model/suggestions";
import { useSession, useSessionState } from "../session/use-session";
import { keyText } from "./key-text";
import { letGo } from "./let-go";
import styles from "../Workbench.module.css";

export function SuggestionButtons({ keys, run }: { keys: KeyChoices; run: (id: ActionId) => void }) {
  const { t } = useTranslation("annotate");
  const session = useSession();
  const format = useFormat();
  const doc = useSessionState((state) => state.doc);
  const selection = useSessionState((state) => state.selection);
  const open = suggestionsIn(doc?.annotations ?? []);
  if (open.length === 0) return null;
  const chosen = open.filter((one) => selection.has(one.id)).length;
  const source = open.find((one) => one.source)?.source;
  const least = leastScore(open) ?? 0;
  const button = (id: "accept" | "reject", icon: React.ReactNode, text: string) => {
    const action = ACTIONS.find((one) => one.id === id);
    const key = action && keysOf(action, keys)[0];
    return (
      <Tooltip title={t(`action.${id}`)}>
        <Button
          size="small"
          type={id === "accept" ? "primary" : "default"}
          icon={icon}
          disabled={session.isReadOnly}
          onClick={(event) => {
            letGo(event);
            run(id);
          }}
        >
          {text} {key && <kbd className={styles.buttonKey}>{keyText(key)}</kbd>}
        </Button>
      </Tooltip>
    );
  };
  return (
    <section className={styles.suggestions} aria-label={t("suggestions.title")}>
      <p className={styles.none}>
        {[t("suggestions.count", { count: open.length }), source && t("suggestions.from", { source }), open.length > 1 && t("suggestions.least", { value: format.percent(Math.round(least * 100) / 100) })].filter(Boolean).join(" · ")}
      </p>
      <div className={styles.verdicts}>
        {button("accept", <CheckOutlined aria-hidden />, t(chosen > 0 ? "suggestions.accept" : "suggestions.acceptAll"))}
        {button("reject", <CloseOutlined aria-hidden />, t(chosen > 0 ? "suggestions.reject" : "suggestions.rejectAll"))}
      </div>
    </section>
  );
}
