import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useTranslation } from "react-i18next";
import { specsQuery } from "@/features/specs/api";
import { useSpecText } from "@/features/specs/spec-text";
import styles from "./Workloads.module.css";

interface SpecSelectProps {
  id?: string;
  value?: string | null;
  onChange?: (spec: string | null) => void;
  isDisabled?: boolean;
  placeholder?: string;
}

/** A compute spec, with what each gives; one that fits no machine can be seen and not chosen. */
export function SpecSelect({ id, value, onChange, isDisabled, placeholder }: SpecSelectProps) {
  const { t } = useTranslation("workloads");
  const specs = useQuery(specsQuery);
  const text = useSpecText();
  const offered = (specs.data?.items ?? []).filter((spec) => spec.is_enabled || spec.name === value);
  return (
    <Select<string>
      id={id}
      value={value ?? undefined}
      disabled={isDisabled}
      loading={specs.isPending}
      status={specs.isError ? "error" : undefined}
      placeholder={placeholder ?? t("choose.spec")}
      notFoundContent={specs.isError ? t("choose.failed") : t("choose.noSpec")}
      showSearch={{ optionFilterProp: "value" }}
      options={offered.map((spec) => ({ value: spec.name, label: spec.name, disabled: !spec.fits || !spec.is_enabled, spec }))}
      optionRender={({ data }) => (
        <span className={styles.option}>
          {data.spec.name}
          <small>{[text(data.spec), !data.spec.fits && t("choose.fitsNot"), !data.spec.is_enabled && t("choose.disabled")].filter(Boolean).join(" · ")}</small>
        </span>
      )}
      onChange={(name) => onChange?.(name)}
    />
  );
}
