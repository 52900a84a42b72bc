import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { ApiFailure, NetworkFailure } from "@/api/failure";

export interface FailureText {
  title: string;
  text: string | null;
  /** Where in the application something can be done about it. */
  link?: string | null;
}

/** Says in the user's language what went wrong and what to do. The server's own messages are already translated. */
export function useFailureText(): (error: unknown) => FailureText {
  const { t } = useTranslation();
  return useCallback(
    (error: unknown) => {
      if (error instanceof ApiFailure) {
        return { title: error.message, text: error.hint ?? (error.status === 403 ? t("failure.forbidden") : null), link: error.link };
      }
      if (error instanceof NetworkFailure) return { title: t("failure.network.title"), text: t("failure.network.text") };
      return { title: t("failure.unexpected.title"), text: error instanceof Error ? error.message : null };
    },
    [t],
  );
}
