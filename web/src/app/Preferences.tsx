import { LanguageButton } from "@/i18n/LanguageButton";
import { api, unwrap } from "@/api/client";
import { meQuery } from "@/features/session/me";
import { ThemeButton } from "@/theme/ThemeButton";
import { useNotify } from "@/ui/notify";
import { useQueryClient } from "@tanstack/react-query";
import type { Language } from "@/i18n";
import styles from "./Frame.module.css";

/** Language and theme. The language is also the user's on every other machine, so it goes into the profile. */
export function Preferences() {
  const client = useQueryClient();
  const notify = useNotify();
  const saveLanguage = async (language: Language) => {
    try {
      client.setQueryData(meQuery.queryKey, await unwrap(api.PATCH("/api/v1/me", { body: { language } })));
      await client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "me" });
    } catch (error) {
      notify.failed(error);
    }
  };
  return (
    <span className={styles.preferences}>
      <LanguageButton onChosen={(language) => void saveLanguage(language)} />
      <ThemeButton />
    </span>
  );
}
