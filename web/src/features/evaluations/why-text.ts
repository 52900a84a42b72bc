import { useTranslation } from "react-i18next";

/** What went wrong with an item, in words; a reason we have no words for as it is. */
export function useWhyText(): (why: string) => string {
  const { t, i18n } = useTranslation("evaluations");
  return (why) => (i18n.exists(`evaluations:why.${why}`) ? t(`why.${why as "missed"}`) : why);
}
