import { useMemo } from "react";
import { useTranslation } from "react-i18next";

/** The words of the search panel, which CodeMirror asks for in English. */
export function useCodePhrases(): Record<string, string> {
  const { t } = useTranslation("files");
  return useMemo(
    () => ({
      Find: t("code.find"),
      Replace: t("code.replaceWith"),
      next: t("code.next"),
      previous: t("code.previous"),
      all: t("code.all"),
      "match case": t("code.matchCase"),
      "by word": t("code.byWord"),
      regexp: t("code.regexp"),
      replace: t("code.replace"),
      "replace all": t("code.replaceAll"),
      close: t("code.close"),
      "current match": t("code.currentMatch"),
      "Fold line": t("code.fold"),
      "Unfold line": t("code.unfold"),
      unfold: t("code.unfold"),
      "folded code": t("code.folded"),
    }),
    [t],
  );
}
