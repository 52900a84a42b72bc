import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/tick";

/** How long it ran, or has been running. */
export function Duration({ of }: { of: { started_at: string | null; ended_at: string | null } }) {
  const format = useFormat();
  const now = useNow();
  if (!of.started_at) return <span className="tm-muted">–</span>;
  const start = new Date(of.started_at).getTime();
  const end = of.ended_at ? new Date(of.ended_at).getTime() : Math.max(now, start);
  return <span>{format.duration((end - start) / 1000)}</span>;
}
