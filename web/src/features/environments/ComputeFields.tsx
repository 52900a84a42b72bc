import { Form, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { ImageSelect } from "@/features/workloads/ImageSelect";
import { SpecSelect } from "@/features/workloads/SpecSelect";

const NODES_MAX = 64;

/** What it runs in and on. */
export function ComputeFields({ project }: { project: string }) {
  const { t } = useTranslation("environments");
  return (
    <>
      <Form.Item name="image" label={t("image")} extra={t("imageHint")}>
        <ImageSelect project={project} />
      </Form.Item>
      <Form.Item name="spec" label={t("spec")} required rules={[{ required: true, message: t("specMissing") }]}>
        <SpecSelect />
      </Form.Item>
      <Form.Item name="nodes" label={t("nodes")} required>
        <InputNumber min={1} max={NODES_MAX} precision={0} />
      </Form.Item>
    </>
  );
}
