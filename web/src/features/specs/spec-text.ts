import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { SpecView } from "./types";

type Sizes = Pick<SpecView, "cpus" | "memory_bytes" | "accelerator" | "accelerators"> & { fabrics?: string[] };

/** What a spec gives, in words: "4 CPUs, 16 GiB, 1 × gpu". */
export function useSpecText(): (spec: Sizes) => string {
  const { t } = useTranslation("specs");
  const format = useFormat();
  return (spec) => {
    const parts = [
      t("text.cpus", { count: spec.cpus, amount: format.decimal(spec.cpus, 2) }),
      format.bytes(spec.memory_bytes),
      spec.accelerator && spec.accelerators > 0 && t("text.accelerators", { amount: format.decimal(spec.accelerators, 2), kind: spec.accelerator }),
      ...(spec.fabrics ?? []).map(fabricName),
    ];
    return parts.filter(Boolean).join(" · ");
  };
}

const FABRICS: Record<string, string> = { ib: "InfiniBand", roce: "RoCE" };

export function fabricName(fabric: string): string {
  return FABRICS[fabric] ?? fabric;
}
