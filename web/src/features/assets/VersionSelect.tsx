/** Which version is looked at, of something that has many: the newest to choose from, the rest in their own tab. */
import { Select } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import styles from "./VersionBar.module.css";

interface VersionSelectProps<V extends { number: number }> {
  current: V;
  newest: V[];
  total: number;
  badgeOf: (version: V) => ReactNode;
  pathOf: (number: number) => string;
}

export function VersionSelect<V extends { number: number }>({ current, newest, total, badgeOf, pathOf }: VersionSelectProps<V>) {
  const { t } = useTranslation("assets");
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const shown = newest.some((item) => item.number === current.number) ? newest : [...newest, current];
  const tab = params.get("tab");
  return (
    <Select<number | "all">
      className={styles.version}
      aria-label={t("chooseVersion")}
      value={current.number}
      popupMatchSelectWidth={280}
      options={[
        ...shown.map((item) => ({ value: item.number, label: t("versionNumber", { number: item.number }), item })),
        ...(total > newest.length ? [{ value: "all" as const, label: t("showAll", { count: total }), item: null }] : []),
      ]}
      optionRender={({ data, label }) => (
        <span className={styles.option}>
          {label}
          {data.item && badgeOf(data.item)}
        </span>
      )}
      onChange={(value) => {
        if (value === "all") setParams({ tab: "versions" });
        else void navigate(`${pathOf(value)}${tab ? `?tab=${tab}` : ""}`);
      }}
    />
  );
}
