/** Why something waits: the reason, its place, what holds what it needs, and the least that would let it start. */
import { ClockCircleOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";
import { waitingQuery } from "./queries";
import type { HolderView, WorkloadRef } from "./types";
import styles from "./Workloads.module.css";

export function WaitingCard({ workload, since }: { workload: WorkloadRef; since: string }) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const now = useNow();
  const { data } = useQuery(waitingQuery(workload));
  if (!data) return null;
  const { text, place, of, holders, smallest_change: change } = data;
  return (
    <section className={styles.waiting} aria-label={t("waiting.title")}>
      <h2>
        <ClockCircleOutlined aria-hidden /> {t("waiting.title")}
      </h2>
      <p>{text}</p>
      <p className="tm-muted">
        {t("waiting.place", { place: format.number(place), of: format.number(of) })}{" "}
        {t("waiting.since", { duration: format.duration(Math.max(0, (now - new Date(since).getTime()) / 1000)) })}
      </p>
      {holders.length > 0 && <Holders holders={holders} resource={data.resource} />}
      {change && (
        <p>
          <strong>{t("waiting.change")}</strong> {change}
        </p>
      )}
    </section>
  );
}

function Holders({ holders, resource }: { holders: HolderView[]; resource: string | null }) {
  const { t } = useTranslation("workloads");
  const format = useFormat();
  const amount = (value: number) => {
    if (resource === "memory" || resource === "memory_bytes") return format.bytes(value);
    if (resource === "cpu" || resource === "cpus") return t("waiting.cpus", { count: value, amount: format.decimal(value, 2) });
    return resource ? t("waiting.devices", { amount: format.decimal(value, 2), kind: resource }) : format.decimal(value, 2);
  };
  return (
    <>
      <strong>{t("waiting.holders")}</strong>
      <ul>
        {holders.map((holder, index) => (
          <li key={holder.id ?? index}>
            <span>{holder.name ?? t("waiting.otherProject")}</span> <span className="tm-muted">{amount(holder.amount)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
