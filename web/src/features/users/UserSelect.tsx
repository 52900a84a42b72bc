import { Select } from "antd";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { loadUsers, usersKey } from "./users";

const SHOWN = 20;

interface UserSelectProps {
  id?: string;
  value?: string[];
  onChange?: (users: string[]) => void;
}

/** Several users, found by typing; works with any number of users on the platform. */
export function UserSelect({ id, value, onChange }: UserSelectProps) {
  const { t } = useTranslation("users");
  const [q, setQ] = useState("");
  const found = useQuery({
    queryKey: [...usersKey, "select", q],
    queryFn: () => loadUsers({ q: q || undefined, sort: "name", limit: SHOWN, filters: {} }),
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      id={id}
      mode="multiple"
      value={value}
      onChange={onChange}
      showSearch={{ filterOption: false, onSearch: setQ }}
      loading={found.isFetching}
      placeholder={t("search")}
      options={(found.data?.items ?? []).map((user) => ({ value: user.name, label: user.display_name ? `${user.name} · ${user.display_name}` : user.name }))}
    />
  );
}
