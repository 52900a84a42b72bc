/** The structure of a model's files, the first one that can be drawn unless another is chosen. */
import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useTranslation } from "react-i18next";
import { readTree } from "@/features/files/api";
import { hasStructure } from "@/features/files/preview/preview-kind";
import { StructureView } from "@/features/files/StructureView";
import { EmptyState } from "@/ui/EmptyState";
import { ErrorState } from "@/ui/ErrorState";
import { useAddress } from "@/ui/address";
import { Loading } from "@/ui/Loading";
import { refOf } from "./asset-actions";
import { treeKey } from "./queries";
import type { AssetView, VersionView } from "./types";
import styles from "./Assets.module.css";

const LOOKED_AT = 200;

export function StructureTab({ asset, version }: { asset: AssetView; version: VersionView }) {
  const { t } = useTranslation("assets");
  const [params, changeAddress] = useAddress();
  const ref = { ...refOf(asset), version: version.number };
  const files = useQuery({
    queryKey: [...treeKey(ref), "structure"],
    // Searching for a dot walks all files with an extension, wherever they lie.
    queryFn: async () => (await readTree(ref, { path: "", q: ".", limit: LOOKED_AT })).items.filter((entry) => entry.type === "file" && hasStructure(entry.path)),
  });
  if (files.isPending) return <Loading />;
  if (files.isError) return <ErrorState error={files.error} onRetry={() => void files.refetch()} />;
  const paths = files.data.map((entry) => entry.path);
  const shown = params.get("file") ?? paths[0];
  if (shown === undefined) return <EmptyState title={t("structure.none")} text={t("structure.noneText")} />;
  return (
    <div className={styles.structure}>
      {paths.length > 1 && (
        <div className={styles.structureHead}>
          <Select
            size="small"
            style={{ minWidth: 240, maxWidth: "100%" }}
            aria-label={t("structure.file")}
            value={shown}
            options={paths.map((path) => ({ value: path, label: path }))}
            onChange={(path: string) => changeAddress({ file: path })}
          />
        </div>
      )}
      <StructureView key={shown} versionRef={ref} path={shown} />
    </div>
  );
}
