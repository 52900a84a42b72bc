/** What stands in the way of deleting: the things that were made from it, each as a link. */
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ApiFailure } from "@/api/failure";
import styles from "./Assets.module.css";

interface Referrer {
  kind: string;
  name: string | null;
  version?: number | string | null;
  project?: string | null;
  link?: string | null;
}

export function Referrers({ error, onLeave }: { error: unknown; onLeave?: () => void }) {
  const { t } = useTranslation("assets");
  const found = referrersIn(error);
  if (found.length === 0) return null;
  return (
    <ul className={styles.referrers} aria-label={t("refers.list")}>
      {found.map((referrer, index) => (
        <li key={index}>
          {referrer.link && referrer.name ? (
            <Link to={referrer.link} onClick={onLeave}>
              {nameOf(referrer)}
            </Link>
          ) : (
            (referrer.name ?? t("refers.hidden"))
          )}
          {referrer.project && <span className="tm-muted"> · {referrer.project}</span>}
        </li>
      ))}
    </ul>
  );
}

function nameOf({ name, version }: Referrer): string {
  return version ? `${name}@${version}` : String(name);
}

function referrersIn(error: unknown): Referrer[] {
  if (!(error instanceof ApiFailure) || error.code !== "in_use" || !Array.isArray(error.body.details)) return [];
  return error.body.details.filter((item): item is Referrer => typeof item === "object" && item !== null && "kind" in item);
}
