import { CheckOutlined, CloudUploadOutlined, MinusOutlined, QuestionOutlined, ReloadOutlined, SafetyOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import type { ItemState } from "../model/types";
import styles from "../Workbench.module.css";

const ICONS: Record<ItemState, React.ReactNode> = {
  unlabelled: null,
  labelled: <CheckOutlined aria-hidden />,
  suggested: <QuestionOutlined aria-hidden />,
  rework: <ReloadOutlined aria-hidden />,
  reviewed: <SafetyOutlined aria-hidden />,
  aside: <MinusOutlined aria-hidden />,
};

/** An item's state by sign and colour; changes that wait to be stored by another sign. */
export function StateMark({ state, isWaiting = false }: { state: ItemState; isWaiting?: boolean }) {
  const { t } = useTranslation("annotate");
  return (
    <span className={styles.stateMark} data-state={state} title={t(`state.${state}`)}>
      {isWaiting ? <CloudUploadOutlined aria-hidden /> : ICONS[state]}
    </span>
  );
}
