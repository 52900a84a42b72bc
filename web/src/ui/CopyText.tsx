import { CheckOutlined, CopyOutlined } from "@ant-design/icons";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "@/lib/clipboard";
import { IconButton } from "./IconButton";
import styles from "./CopyText.module.css";

const SHOWN_MS = 1_500;

interface CopyTextProps {
  text: string;
  label?: string;
  isPlain?: boolean;
}

/** A value in a fixed-width face with a button that copies it. */
export function CopyText({ text, isPlain = false, label }: CopyTextProps) {
  return (
    <span className={styles.copy}>
      <span className={isPlain ? undefined : styles.value}>{text}</span>
      <CopyButton text={text} label={label} />
    </span>
  );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");

  useEffect(() => {
    if (state === "ready") return;
    const timer = window.setTimeout(() => setState("ready"), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [state]);

  const texts = { ready: label ?? t("copy.action"), copied: t("copy.done"), refused: t("copy.refused") };
  return (
    <IconButton
      size="small"
      label={texts[state]}
      icon={state === "copied" ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
      onClick={async () => setState((await copyText(text)) ? "copied" : "refused")}
    />
  );
}
