/** An online service of the project, by its name. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { findServices } from "./api";
import styles from "./Inference.module.css";

interface ServicePickerProps {
  id?: string;
  project: string;
  value?: string | null;
  onChange?: (name: string | null) => void;
}

export function ServicePicker({ id, project, value, onChange }: ServicePickerProps) {
  const { t } = useTranslation("inference");
  const [q, setQ] = useState("");
  const found = useQuery({ queryKey: ["services", "pick", project, q], queryFn: () => findServices(project, q), placeholderData: keepPreviousData });
  return (
    <Select<string>
      id={id}
      allowClear
      value={value ?? undefined}
      loading={found.isFetching}
      status={found.isError ? "error" : undefined}
      placeholder={t("service.choose")}
      notFoundContent={found.isError ? t("service.failed") : t("service.none")}
      showSearch={{ filterOption: false, onSearch: setQ }}
      options={(found.data?.items ?? []).map((one) => ({ value: one.name, label: one.name, ready: one.ready, wanted: one.wanted, model: one.production?.model ?? null }))}
      optionRender={({ data }) => (
        <span className={styles.option}>
          <span>
            {data.label}
            {data.model && <small className="tm-muted"> {data.model}</small>}
          </span>
          <small className="tm-muted">{t("service.ready", { ready: data.ready, wanted: data.wanted })}</small>
        </span>
      )}
      onChange={(name?: string) => onChange?.(name ?? null)}
    />
  );
}
