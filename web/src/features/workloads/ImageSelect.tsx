import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import { StateBadge } from "@/ui/StateBadge";
import type { BadgeTone } from "@/ui/StateBadge";
import styles from "./Workloads.module.css";

export type ImageOption = components["schemas"]["ImageView"];

const PUBLIC = "public";
const SHOWN = 50;
const tones: Record<ImageOption["state"], BadgeTone> = { ready: "completed", building: "running", failed: "failed", not_made: "waiting" };

interface ImageSelectProps {
  id?: string;
  project: string;
  /** `name:version`; null is the platform's own Python. */
  value?: string | null;
  onChange?: (image: string | null) => void;
  isDisabled?: boolean;
  /** What it is when none is chosen; the platform's own Python where nothing is said. */
  placeholder?: string;
}

/** An image of the project or a public one, found by typing. */
export function ImageSelect({ id, project, value, onChange, isDisabled, placeholder }: ImageSelectProps) {
  const { t } = useTranslation("workloads");
  const [q, setQ] = useState("");
  const own = useImages(project, q);
  const shared = useImages(PUBLIC, q, project !== PUBLIC);
  const ownNames = new Set((own.data?.items ?? []).map(refOf));
  const option = (image: ImageOption) => ({ value: refOf(image), label: refOf(image), disabled: image.state === "failed", image });
  const groups = [
    { label: t("choose.ownImages"), title: t("choose.ownImages"), options: (own.data?.items ?? []).map(option) },
    { label: t("choose.publicImages"), title: t("choose.publicImages"), options: (shared.data?.items ?? []).filter((image) => !ownNames.has(refOf(image))).map(option) },
  ].filter((group) => group.options.length > 0);
  const hasFailed = own.isError && shared.isError;
  return (
    <Select
      id={id}
      value={value ?? undefined}
      disabled={isDisabled}
      allowClear
      loading={own.isFetching || shared.isFetching}
      status={hasFailed ? "error" : undefined}
      placeholder={placeholder ?? t("choose.defaultImage")}
      notFoundContent={hasFailed ? t("choose.failed") : t("choose.noImage")}
      showSearch={{ filterOption: false, onSearch: setQ }}
      options={groups}
      optionRender={({ data }) => <ImageLine image={(data as unknown as { image: ImageOption }).image} />}
      onChange={(image: string | undefined) => onChange?.(image ?? null)}
    />
  );
}

function ImageLine({ image }: { image: ImageOption }) {
  const { t } = useTranslation("workloads");
  return (
    <span className={styles.option}>
      <span>
        {refOf(image)} {image.state !== "ready" && <StateBadge tone={tones[image.state]} text={t(`imageState.${image.state}`)} />}
      </span>
      {image.description && <small>{image.description}</small>}
    </span>
  );
}

function useImages(project: string, q: string, isEnabled = true) {
  return useQuery({
    queryKey: ["images", project, "select", q],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}/images", { params: { path: { project }, query: { q: q || undefined, limit: SHOWN, sort: "name" } } })),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
}

function refOf(image: ImageOption): string {
  return `${image.name}:${image.version}`;
}
