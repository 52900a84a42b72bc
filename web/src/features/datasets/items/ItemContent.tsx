import { useQuery } from "@tanstack/react-query";
import { guardedFetch } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import type { Annotation } from "@/features/annotate/model/types";
import { Overlay } from "@/features/annotate/Overlay";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { ScrollBox } from "@/ui/ScrollBox";
import { contentAddress } from "../addresses";
import { itemsKey } from "../queries";
import type { DatasetVersionRef, ItemView, Labels } from "../types";
import styles from "./Items.module.css";

/** Longer texts are read in the workbench or as a file. */
const TEXT_BYTES = 200_000;

interface ItemContentProps {
  of: DatasetVersionRef;
  item: ItemView;
  annotations: Annotation[];
  labels: Labels;
  highlighted: string | null;
}

/** The item itself, by what it is. */
export function ItemContent({ of, item, annotations, labels, highlighted }: ItemContentProps) {
  const address = contentAddress(of, item);
  if (item.media.startsWith("image/")) {
    return (
      <div className={styles.large}>
        <span className={styles.picture}>
          <img src={address} alt={item.path} />
          {item.width && item.height && <Overlay annotations={annotations} labels={labels} width={item.width} height={item.height} highlighted={highlighted} />}
        </span>
      </div>
    );
  }
  // eslint-disable-next-line jsx-a11y/media-has-caption -- data to be annotated: what is said in it is not known yet
  if (item.media.startsWith("audio/")) return <audio className={styles.player} controls src={address} aria-label={item.path} />;
  // eslint-disable-next-line jsx-a11y/media-has-caption -- as above
  if (item.media.startsWith("video/")) return <video className={styles.player} controls src={address} aria-label={item.path} />;
  return <TextContent of={of} item={item} />;
}

function TextContent({ of, item }: { of: DatasetVersionRef; item: ItemView }) {
  const text = useQuery({
    queryKey: [...itemsKey(of), "text", item.seq, item.digest],
    queryFn: async () => {
      const response = await guardedFetch(contentAddress(of, item), { headers: { Range: `bytes=0-${TEXT_BYTES - 1}` } });
      if (!response.ok && response.status !== 416) throw await ApiFailure.from(response);
      return response.status === 416 ? "" : await response.text();
    },
  });
  if (text.isPending) return <Loading />;
  if (text.isError) return <ErrorState error={text.error} onRetry={() => void text.refetch()} />;
  return (
    <ScrollBox label={item.path} className={styles.text}>
      {item.media.includes("json") ? indented(text.data) : text.data}
    </ScrollBox>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // not JSON after all, or cut off: shown as it is
  }
}
