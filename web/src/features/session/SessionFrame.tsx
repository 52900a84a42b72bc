import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LanguageButton } from "@/i18n/LanguageButton";
import { ThemeButton } from "@/theme/ThemeButton";
import { Mark } from "@/ui/Mark";
import { TideScene } from "./TideScene";
import styles from "./SessionFrame.module.css";

/** The page around signing in: what Tidemill is on one side, the form on the other. */
export function SessionFrame({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const { t } = useTranslation(["session", "shell"]);
  return (
    <div className={styles.frame}>
      <section className={styles.story} aria-label={t("shell:product")}>
        <div className={styles.brand}>
          <Mark size={36} />
          <span>{t("shell:product")}</span>
        </div>
        <div className={styles.words}>
          <p className={styles.headline}>{t("headline")}</p>
          <p className={styles.lead}>{t("lead")}</p>
        </div>
        <TideScene className={styles.scene} />
      </section>
      <main className={styles.side}>
        <div className={styles.tools}>
          <LanguageButton />
          <ThemeButton />
        </div>
        <div className={styles.form}>
          <Mark size={44} className={styles.mark} />
          <h1 className={styles.title}>{title}</h1>
          {text && <p className={styles.text}>{text}</p>}
          {children}
        </div>
      </main>
    </div>
  );
}
