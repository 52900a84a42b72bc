/** What stands in the way of deleting: the things that were made from it, each as a link. */
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApiFailure } from "@/api/failure";
import styles from "./Assets.module.css";

interface Referrer {
  kind: string;
  name: string | null;
  version?: number | string | null;
  project?: string | null;
  link?: string | null;
}

/** `onOpen` goes to a link inside the application: dialogs lie outside the router, so they cannot do it themselves. */
export function Referrers({ error, onOpen }: { error: unknown; onOpen: (link: string) => void }) {
  const { t } = useTranslation("assets");
  const found = referrersIn(error);
  if (found.length === 0) return null;
  return (
    <ul className={styles.referrers} aria-label={t("refers.list")}>
      {found.map((referrer, index) => (
        <li key={index}>
          {referrer.link && referrer.name ? (
            <InsideLink to={referrer.link} onOpen={onOpen}>
              {nameOf(referrer)}
            </InsideLink>
          ) : (
            (referrer.name ?? t("refers.hidden"))
          )}
          {referrer.project && <span className="tm-muted"> · {referrer.project}</span>}
        </li>
      ))}
    </ul>
  );
}

function InsideLink({ to, onOpen, children }: { to: string; onOpen: (link: string) => void; children: ReactNode }) {
  return (
    <a
      href={to}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(to);
      }}
    >
      {children}
    </a>
  );
}

function nameOf({ name, version }: Referrer): string {
  return version ? `${name}@${version}` : String(name);
}

function referrersIn(error: unknown): Referrer[] {
  if (!(error instanceof ApiFailure) || error.code !== "in_use" || !Array.isArray(error.body.details)) return [];
  return error.body.details.filter((item): item is Referrer => typeof item === "object" && item !== null && "kind" in item);
}
