import { DatePicker } from "antd";
import dayjs from "dayjs";
import { useTranslation } from "react-i18next";
import { SearchBox } from "@/ui/list/SearchBox";
import styles from "./Logs.module.css";

export interface LogWanted {
  q: string;
  since?: string;
  until?: string;
}

export const NOTHING_WANTED: LogWanted = { q: "" };

export function isWanted({ q, since, until }: LogWanted): boolean {
  return q !== "" || since !== undefined || until !== undefined;
}

/** What to look for in the log, and between which times. */
export function LogSearchBar({ wanted, onChange }: { wanted: LogWanted; onChange: (wanted: LogWanted) => void }) {
  const { t } = useTranslation("workloads");
  const range: [dayjs.Dayjs | null, dayjs.Dayjs | null] = [wanted.since ? dayjs(wanted.since) : null, wanted.until ? dayjs(wanted.until) : null];
  return (
    <>
      <SearchBox className={styles.search} value={wanted.q} label={t("logs.search")} onSearch={(q) => onChange({ ...wanted, q })} />
      <DatePicker.RangePicker
        className={styles.range}
        showTime
        allowEmpty={[true, true]}
        aria-label={t("logs.range")}
        placeholder={[t("logs.since"), t("logs.until")]}
        value={range}
        onChange={(times) => onChange({ ...wanted, since: times?.[0]?.toISOString(), until: times?.[1]?.toISOString() })}
      />
    </>
  );
}
