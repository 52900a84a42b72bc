import { Tooltip } from "antd";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";

/** How long ago, with the exact moment on hover. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const format = useFormat();
  const now = useNow();
  if (!at) return <span className="tm-muted">–</span>;
  return (
    <Tooltip title={format.dateTime(at)}>
      <time dateTime={at}>{format.relative(at, now)}</time>
    </Tooltip>
  );
}
