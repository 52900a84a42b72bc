/** Finding what spoils a dataset, and preparing its pictures for training. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/ui/EmptyState";
import { Panel } from "@/ui/Facts";
import { refOf } from "../dataset-actions";
import { labelsQuery } from "../queries";
import type { DatasetVersionView, DatasetView, PreviewItem } from "../types";
import { AsidePanel } from "./AsidePanel";
import { PreparePanel } from "./PreparePanel";
import { PreviewPairs } from "./PreviewPairs";
import { ScanPanel } from "./ScanPanel";
import styles from "../works/Works.module.css";

export function CleaningTab({ dataset, version }: { dataset: DatasetView; version: DatasetVersionView }) {
  const { t } = useTranslation("datasets");
  const ref = { ...refOf(dataset), version: version.number };
  const labels = useQuery(labelsQuery(ref));
  const [preview, setPreview] = useState<PreviewItem[] | null>(null);
  const canWrite = dataset.permissions.includes("write");
  const isDraft = version.work === "draft";
  const hasPictures = dataset.data_type === "image" || dataset.data_type === "video";
  if (version.items === 0) return <EmptyState title={t("items.none")} />;
  return (
    <>
      <AsidePanel of={ref} count={version.states.aside ?? 0} canChange={canWrite && isDraft} />
      {hasPictures ? (
        <div className={styles.columns}>
          <ScanPanel of={ref} canWrite={canWrite} isDraft={isDraft} />
          <PreparePanel of={ref} canWrite={canWrite} onPreview={setPreview} />
        </div>
      ) : (
        <EmptyState title={t("cleaning.onlyPictures")} text={t("cleaning.onlyPicturesText")} />
      )}
      {preview && (
        <Panel title={t("prepare.preview")}>
          <PreviewPairs items={preview} labels={new Map((labels.data?.items ?? []).map((label) => [label.number, label]))} />
        </Panel>
      )}
    </>
  );
}
