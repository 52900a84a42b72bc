import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { listLabelSets } from "./api";
import type { LabelSetView } from "./api";
import { labelSetsKey } from "./queries";

const SHOWN = 30;
const PUBLIC = "public";

interface LabelSetSelectProps {
  id?: string;
  project: string;
  value?: string;
  onChange?: (ref: string) => void;
}

/** A label set of the project, or a public one, written `public/name`. */
export function LabelSetSelect({ id, project, value, onChange }: LabelSetSelectProps) {
  const { t } = useTranslation("labelSets");
  const [q, setQ] = useState("");
  const own = useSets(project, q);
  const shared = useSets(PUBLIC, q, project !== PUBLIC);
  const option = (prefix: string) => (set: LabelSetView) => ({ value: `${prefix}${set.name}`, label: t("withCount", { name: set.name, count: set.labels_count }) });
  const groups = [
    { label: t("own"), title: t("own"), options: (own.data?.items ?? []).map(option("")) },
    { label: t("public"), title: t("public"), options: (shared.data?.items ?? []).map(option(`${PUBLIC}/`)) },
  ].filter((group) => group.options.length > 0);
  return <Select id={id} autoFocus value={value} onChange={onChange} showSearch={{ filterOption: false, onSearch: setQ }} loading={own.isFetching} placeholder={t("choose")} notFoundContent={t("none")} options={groups} />;
}

function useSets(project: string, q: string, isEnabled = true) {
  return useQuery({
    queryKey: [...labelSetsKey(project), "select", q],
    queryFn: () => listLabelSets(project, { q: q || undefined, sort: "name", limit: SHOWN, filters: {} }),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
}
