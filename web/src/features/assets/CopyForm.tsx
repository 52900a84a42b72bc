import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useMe } from "@/features/session/me";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import { copyAsset } from "./api";
import type { AssetRef } from "./api";
import { KINDS } from "./kinds";
import type { AssetKind } from "./kinds";
import type { AssetView } from "./types";

interface CopyFormProps {
  source: AssetRef & { version?: number };
  kind: AssetKind;
  /** The project to offer first. */
  into: string;
  onCopied: (asset: AssetView) => void;
  onClose: () => void;
}

interface Values {
  name: string;
  to_project: string;
}

/** Makes an asset of its own from a version; the files are shared, so it costs no space to speak of. */
export function CopyForm({ source, kind, into, onCopied, onClose }: CopyFormProps) {
  const { t } = useTranslation("assets");
  const projects = useMe()
    .projects.filter((project) => project.permissions.includes(`${kind}.write`))
    .map((project) => ({ value: project.name, label: project.name }));
  const first = projects.find((project) => project.value === into) ?? projects[0];
  return (
    <FormModal<Values>
      title={t("copy.title", { name: source.asset })}
      submitText={t("copy.submit")}
      initialValues={{ name: into === source.project ? "" : source.asset, to_project: first?.value }}
      onSubmit={async (values) => onCopied(await copyAsset({ ...source, kind: KINDS[kind].segment }, { ...values, version: source.version }))}
      onClose={onClose}
    >
      <p className="tm-muted" style={{ marginBottom: 16 }}>
        {source.version === undefined ? t("copy.textNewest") : t("copy.text", { version: source.version })}
      </p>
      <Form.Item name="to_project" label={t("copy.project")} required rules={[{ required: true, message: t("copy.projectMissing") }]}>
        <Select options={projects} showSearch={{ optionFilterProp: "label" }} notFoundContent={t("copy.noProject")} />
      </Form.Item>
      <NameField label={t("copy.name")} />
    </FormModal>
  );
}
