import { Select } from "antd";
import { useTranslation } from "react-i18next";
import type { NodeView } from "./types";

interface NodeSelectProps {
  nodes: NodeView[];
  value: number;
  onChange: (node: number) => void;
}

/** Which node is looked at; nothing to choose where there is one. */
export function NodeSelect({ nodes, value, onChange }: NodeSelectProps) {
  const { t } = useTranslation("workloads");
  if (nodes.length < 2) return null;
  return (
    <Select<number>
      aria-label={t("node")}
      value={value}
      popupMatchSelectWidth={false}
      options={nodes.map((node) => ({ value: node.index, label: t("nodeName", { index: node.index, host: node.host_name }) }))}
      onChange={onChange}
    />
  );
}
