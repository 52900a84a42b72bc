/** An asset and one of its versions, written `name@3`; without a number it is the newest at the time of use. */
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button, Select, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { listAssets } from "@/features/assets/api";
import type { KindSegment } from "@/features/assets/kinds";
import { assetsKey, newestVersionsQuery } from "@/features/assets/queries";
import type { AssetView } from "@/features/assets/types";
import { IconButton } from "@/ui/IconButton";
import { formatRef, parseRef } from "./asset-ref";
import styles from "./Workloads.module.css";

const SHOWN = 30;
const NEWEST = 0;
const PUBLIC = "public";

interface AssetVersionSelectProps {
  id?: string;
  project: string;
  kind: KindSegment;
  value?: string | null;
  onChange?: (ref: string | null) => void;
  placeholder?: string;
}

export function AssetVersionSelect({ id, project, kind, value, onChange, placeholder }: AssetVersionSelectProps) {
  const { t } = useTranslation("workloads");
  const [q, setQ] = useState("");
  const chosen = value ? parseRef(value) : null;
  const own = useAssets(project, kind, q);
  const shared = useAssets(PUBLIC, kind, q, project !== PUBLIC);
  const option = (isPublic: boolean) => (asset: AssetView) => ({ value: formatRef({ isPublic, name: asset.name, version: null }), label: asset.name });
  const groups = [
    { label: t("choose.own"), title: t("choose.own"), options: (own.data?.items ?? []).map(option(false)) },
    { label: t("choose.public"), title: t("choose.public"), options: (shared.data?.items ?? []).map(option(true)) },
  ].filter((group) => group.options.length > 0);
  return (
    <Space.Compact block>
      <Select
        id={id}
        className={styles.grow}
        value={chosen ? formatRef({ ...chosen, version: null }) : undefined}
        allowClear
        showSearch={{ filterOption: false, onSearch: setQ }}
        loading={own.isFetching || shared.isFetching}
        status={own.isError ? "error" : undefined}
        placeholder={placeholder ?? t("choose.asset")}
        notFoundContent={own.isError ? t("choose.failed") : t("choose.noAsset")}
        options={groups}
        onChange={(ref: string | undefined) => onChange?.(ref ?? null)}
      />
      {chosen && (
        <VersionSelect
          project={chosen.isPublic ? PUBLIC : project}
          kind={kind}
          asset={chosen.name}
          value={chosen.version}
          onChange={(version) => onChange?.(formatRef({ ...chosen, version }))}
        />
      )}
    </Space.Compact>
  );
}

function useAssets(project: string, kind: KindSegment, q: string, isEnabled = true) {
  return useQuery({
    queryKey: [...assetsKey(project, kind), "select", q],
    queryFn: () => listAssets(project, kind, { q: q || undefined, sort: "name", limit: SHOWN, filters: {} }),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
}

interface VersionSelectProps {
  project: string;
  kind: KindSegment;
  asset: string;
  value: number | null;
  onChange: (version: number | null) => void;
}

function VersionSelect({ project, kind, asset, value, onChange }: VersionSelectProps) {
  const { t } = useTranslation("workloads");
  const versions = useQuery(newestVersionsQuery({ project, kind, asset }));
  const numbers = (versions.data?.items ?? []).map((version) => version.number);
  const offered = value !== null && !numbers.includes(value) ? [...numbers, value] : numbers;
  return (
    <Select<number>
      aria-label={t("choose.version")}
      className={styles.version}
      value={value ?? NEWEST}
      options={[{ value: NEWEST, label: t("choose.newest") }, ...offered.map((number) => ({ value: number, label: t("choose.number", { number }) }))]}
      onChange={(number) => onChange(number === NEWEST ? null : number)}
    />
  );
}

type AssetVersionListProps = Omit<AssetVersionSelectProps, "value" | "onChange"> & {
  value?: (string | null)[];
  onChange?: (refs: (string | null)[]) => void;
  addText: string;
};

/** Several of them; a row that is still empty is there to be filled. */
export function AssetVersionList({ value = [], onChange, addText, id, ...rest }: AssetVersionListProps) {
  const { t } = useTranslation("workloads");
  return (
    <>
      {value.map((ref, index) => (
        <div key={index} className={styles.row}>
          <AssetVersionSelect {...rest} id={index === 0 ? id : undefined} value={ref} onChange={(next) => onChange?.(value.map((old, at) => (at === index ? next : old)))} />
          <IconButton icon={<DeleteOutlined aria-hidden />} label={t("choose.remove", { name: ref ?? "" })} onClick={() => onChange?.(value.filter((_, at) => at !== index))} />
        </div>
      ))}
      <Button type="dashed" icon={<PlusOutlined aria-hidden />} onClick={() => onChange?.([...value, null])}>
        {addText}
      </Button>
    </>
  );
}
