import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import { useMe } from "@/features/session/me";

interface MemberSelectProps {
  id?: string;
  project: string;
  value?: string;
  onChange?: (name: string | undefined) => void;
}

const SHOWN = 50;

/** Somebody of the project; oneself is always offered. */
export function MemberSelect({ id, project, value, onChange }: MemberSelectProps) {
  const { t } = useTranslation("datasets");
  const me = useMe();
  const [q, setQ] = useState("");
  const found = useQuery({
    queryKey: ["members", project, "select", q],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}/members", { params: { path: { project }, query: { q: q || undefined, limit: SHOWN } } })),
    placeholderData: keepPreviousData,
  });
  const names = (found.data?.items ?? []).filter((member) => member.subject_kind === "user").map((member) => member.name);
  return (
    <Select
      id={id}
      allowClear
      showSearch={{ filterOption: false, onSearch: setQ }}
      value={value}
      placeholder={t("items.nobody")}
      options={[...new Set([me.name, ...names])].map((name) => ({ value: name, label: name }))}
      onChange={onChange}
    />
  );
}
