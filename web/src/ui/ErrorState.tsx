import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { ApiFailure } from "@/api/failure";
import { useFailureText } from "./failure-text";
import styles from "./States.module.css";

/** Something could not be loaded: what happened, what to do, and a way to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const failureText = useFailureText();
  const { title, text } = failureText(error);
  return (
    <div className={styles.state} role="alert">
      <h2 className={styles.title}>{title}</h2>
      {text && <p className={styles.text}>{text}</p>}
      {onRetry && <Button onClick={onRetry}>{t("action.retry")}</Button>}
      {error instanceof ApiFailure && error.requestId && (
        <p className={styles.small}>{t("failure.request", { id: error.requestId })}</p>
      )}
    </div>
  );
}
