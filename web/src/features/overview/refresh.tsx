/** How often an overview is read again: the user's choice, kept in this browser. */
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { readSaved, save } from "@/lib/saved";

const KEY = "overview.refresh";
const SECONDS = [5, 10, 30, 60, 300];
const USUAL = 10;

export function useRefreshInterval(): [seconds: number, set: (seconds: number) => void] {
  const [seconds, setSeconds] = useState(() => {
    const saved = Number(readSaved(KEY) ?? USUAL);
    return saved === 0 || SECONDS.includes(saved) ? saved : USUAL;
  });
  return [
    seconds,
    (next) => {
      setSeconds(next);
      save(KEY, String(next));
    },
  ];
}

export function RefreshSelect({ value, onChange }: { value: number; onChange: (seconds: number) => void }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  return (
    <Select<number>
      aria-label={t("refresh.label")}
      value={value}
      popupMatchSelectWidth={false}
      options={[{ value: 0, label: t("refresh.off") }, ...SECONDS.map((seconds) => ({ value: seconds, label: t("refresh.every", { duration: format.duration(seconds) }) }))]}
      onChange={onChange}
    />
  );
}
