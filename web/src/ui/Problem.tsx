import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { FailureText } from "./failure-text";

interface ProblemProps {
  problem: FailureText;
  type?: "error" | "warning";
  className?: string;
}

/** Why something was refused, what to do, and the way to where that is done. */
export function Problem({ problem: { title, text, link }, type = "error", className }: ProblemProps) {
  const { t } = useTranslation();
  const more = (text || link) && (
    <>
      {text}
      {link && (
        <>
          {" "}
          <Link style={{ textDecoration: "underline" }} to={link}>{t("failure.goThere")}</Link>
        </>
      )}
    </>
  );
  return <Alert className={className} type={type} showIcon title={title} description={more} />;
}
