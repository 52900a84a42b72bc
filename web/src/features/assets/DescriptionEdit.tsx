import { DescriptionEdit as Edit } from "@/ui/DescriptionEdit";
import { describeAsset } from "./api";
import { refOf } from "./asset-actions";
import { useRefresh } from "./queries";
import type { AssetView } from "./types";

/** The description is the only thing about an asset that can be changed. */
export function DescriptionEdit({ asset }: { asset: AssetView }) {
  const refresh = useRefresh();
  const save = async (text: string) => {
    await describeAsset(refOf(asset), text);
    await refresh.asset(refOf(asset));
  };
  return <Edit text={asset.description} canEdit={asset.permissions.includes("write")} onSave={save} />;
}
